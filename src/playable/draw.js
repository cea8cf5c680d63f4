"use strict";
// Draws tables. All text is inserted as text, never as markup.
const SVG = "http://www.w3.org/2000/svg";

function element(name, properties = {}, children = []) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "text") {
      made.textContent = value;
    } else if (value === true) {
      made.setAttribute(key, key);
    } else if (value !== false && value !== undefined && value !== null) {
      made.setAttribute(key, value);
    }
  }
  made.append(...children);
  return made;
}

// Returns the picture of an item.
function glyph(item, box) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${box[0]} ${box[1]}`);
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add(`m-${item.mark}`);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#m-${item.mark}`);
  use.setAttribute("width", box[0]);
  use.setAttribute("height", box[1]);
  svg.append(use);
  if (item.text) {
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("x", box[0] / 2);
    text.setAttribute("y", box[1] / 2 + 1);
    if (item.text.length > 3 && box[0] < 50) {
      text.setAttribute("textLength", box[0] - 4);
      text.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
    text.textContent = item.text;
    svg.append(text);
  }
  return svg;
}

// Returns an item: a button if it can be chosen or has a menu, otherwise a picture with words.
function thing(item, kind, box, choose) {
  const strong = item.is_strong ? " is-strong" : "";
  const properties = { class: `${kind}${strong}`, "aria-label": item.words, title: item.words };
  if (!(item.typed || item.opens) || !choose) {
    return element("span", { ...properties, role: "img" }, [glyph(item, box)]);
  }
  if (item.opens) {
    const orders = { type: "button", "data-opens": item.opens, "aria-haspopup": "listbox" };
    const unit = element("button", { ...properties, ...orders }, [glyph(item, box)]);
    unit.addEventListener("click", () => openMenu(item.opens));
    return unit;
  }
  const button = element("button", { ...properties, type: "button", "data-typed": item.typed }, [glyph(item, box)]);
  button.addEventListener("click", (event) => choose(item.typed, button, event));
  return button;
}

function grid(part, choose) {
  const isOpen = choose && part.rows.some((row) => row.cells.some((cell) => cell.typed || cell.opens));
  const most = part.columns.length;
  const [LARGE] = [16];
  const isLarge = Math.max(most, part.rows.length) > LARGE;
  const table = element("table", { class: isLarge ? "grid large" : "grid", role: isOpen ? "grid" : null });
  table.style.setProperty("--columns", most);
  table.style.setProperty("--rows", part.rows.length);
  table.append(element("caption", { text: part.title }));
  const names = part.columns.map((name) => element("th", { scope: "col", text: name }));
  table.append(element("thead", {}, [element("tr", {}, [element("td", { class: "corner" }), ...names])]));
  table.querySelector(".corner").style.cssText = "border: 0; background: none";
  const body = element("tbody");
  for (const row of part.rows) {
    const cells = row.cells.map((cell) => {
      const made = thing(cell, "cell", [32, 32], choose);
      made.classList.remove("is-strong");
      return element("td", { class: cell.is_strong ? "is-strong" : null }, [made]);
    });
    body.append(element("tr", {}, [element("th", { scope: "row", text: row.name }), ...cells]));
  }
  table.append(body);
  if (isOpen) {
    rove(table);
  }
  return element("div", { class: isLarge ? "part scrolls" : "part" }, [table]);
}

// Makes a grid one stop of the Tab key; the arrow keys move from cell to cell.
function rove(table) {
  const buttons = [...table.querySelectorAll("button.cell")];
  const stop = (button) => buttons.forEach((other) => (other.tabIndex = other === button ? 0 : -1));
  stop(buttons[0]);
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  table.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    const cell = event.target.closest("td");
    if (!step || !cell) {
      return;
    }
    event.preventDefault();
    let [row, column] = [cell.parentElement.sectionRowIndex, cell.cellIndex];
    const rows = table.tBodies[0].rows;
    for (;;) {
      row += step[0];
      column += step[1];
      const next = rows[row]?.cells[column];
      if (!next) {
        return;
      }
      const button = next.querySelector("button");
      if (button) {
        stop(button);
        button.focus();
        return;
      }
    }
  });
  table.addEventListener("focusin", (event) => {
    if (event.target.matches("button.cell")) {
      stop(event.target);
    }
  });
}

function row(part, choose) {
  const things = part.items.map((item) => {
    const isWide = ["card", "red-card", "back"].includes(item.mark) && (item.text ?? "").length > 2;
    const isRound = ["face", "gone", "word", "dark"].includes(item.mark);
    const box = isWide ? [58, 42] : isRound ? [32, 32] : item.mark === "match" ? [22, 42] : [32, 42];
    return thing(item, `thing ${item.mark}${isWide ? " wide" : ""}`, box, choose);
  });
  const title = element("p", { class: "part-title", text: part.title });
  const many = part.items.length > 48 ? " many" : "";
  const group = element("div", { class: `things${many}`, role: "group", "aria-label": part.title }, things);
  return element("div", { class: "part row" }, [title, group]);
}

function bars(part) {
  const rows = part.bars.flatMap((bar) => {
    const length = element("span");
    length.style.width = `${Math.min(100, (100 * bar.value) / bar.most)}%`;
    return [
      element("span", { text: bar.name }),
      element("span", { class: "bar", "aria-hidden": "true" }, [length]),
      element("span", { text: bar.value.toLocaleString("en") }),
    ];
  });
  const title = element("p", { class: "part-title", text: part.title });
  return element("div", { class: "part row" }, [title, element("div", { class: "bars" }, rows)]);
}

const menuOf = (name) => document.querySelector(`select.menu[name="${name}"]`);

// Opens the menu of what was chosen on the board.
function openMenu(name) {
  const select = menuOf(name);
  select.focus();
  try {
    select.showPicker();
  } catch {
    // Browsers before 2023 open the menu at a second tap.
  }
}

function menu(part, changed) {
  const options = part.items.map((item) => element("option", { value: item.typed, text: item.words }));
  const select = element("select", { class: "menu", name: part.name }, [element("option", { value: "", text: "wait" }), ...options]);
  select.addEventListener("change", changed);
  return element("label", { text: part.title }, [select]);
}

// Returns menus that give an order to all units of a kind; a unit that cannot carry it out waits.
function groupMenus(parts, changed) {
  const groups = [...new Set(parts.map(kindOf))].map((kind) => [kind, parts.filter((part) => kindOf(part) === kind)]);
  return groups.filter(([, members]) => members.length > 1).map(([kind, members]) => {
    const all = members.flatMap(({ items }) => items.map(({ words }) => words));
    const shared = [...new Set(all.filter((words, index) => all.indexOf(words) !== index))];
    const options = shared.map((words) => element("option", { value: words, text: words }));
    const first = element("option", { value: "", text: "each as below" });
    const select = element("select", { class: "group", "data-kind": kind }, [first, ...options]);
    select.addEventListener("change", () => {
      for (const { name, items } of members) {
        menuOf(name).value = items.find(({ words }) => words === select.value)?.typed ?? "";
      }
      changed();
    });
    return element("label", { text: `all ${members.length}: ${kind}` }, [select]);
  });
}

// Returns the kind of the unit of a menu, such as "worker".
const kindOf = ({ title }) => title.split(" at ")[0];

// Shades the cells of a board by their probabilities, with the full shade for the most probable, and writes the
// probabilities on them.
function shade(place, { probabilities, largest }) {
  for (const button of place.querySelectorAll("button.cell")) {
    const probability = probabilities[button.dataset.typed];
    if (probability === undefined) {
      continue;
    }
    const percent = Math.round(100 * probability);
    button.classList.add("is-believed");
    button.style.setProperty("--share", `${largest > 0 ? (100 * probability) / largest : 0}%`);
    button.querySelector(".believed")?.remove();
    const beside = button.querySelector("svg text") ? " beside" : "";
    button.append(element("span", { class: `believed${beside}`, text: percent }));
    // Keep the first title, so that repeated shading does not add to it.
    button.dataset.words ??= button.title;
    button.title = `${button.dataset.words}, ${percent}%`;
    button.setAttribute("aria-label", button.title);
  }
}

// Draws into `place`. Calls `choose` with the typed form of an item that is chosen, and `changed` when menus change.
function draw(place, drawing, choose, changed) {
  const active = document.activeElement;
  const held = place.contains(active) ? active.dataset.typed : undefined;
  const wanted = held ?? (active === document.body ? place.dataset.wanted : undefined);
  const parts = element("div", { class: "parts" });
  const menus = element("div", { class: "menus" });
  for (const part of drawing.parts) {
    switch (part.kind) {
      case "grid":
        parts.append(grid(part, choose));
        break;
      case "row":
        parts.append(row(part, choose));
        break;
      case "bars":
        parts.append(bars(part));
        break;
      case "menu":
        if (choose) {
          menus.append(menu(part, changed));
        }
        break;
    }
  }
  if (menus.children.length) {
    menus.prepend(...groupMenus(drawing.parts.filter(({ kind }) => kind === "menu"), changed));
    parts.append(menus);
  }
  parts.style.setProperty("--grids", drawing.parts.filter(({ kind }) => kind === "grid").length);
  const scrolled = [...place.querySelectorAll(".scrolls")].map(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
  place.replaceChildren(parts);
  place.querySelectorAll(".scrolls").forEach((part, index) => part.scrollTo(...(scrolled[index] ?? [0, 0])));
  // Keep the focus of people who play by keyboard.
  delete place.dataset.wanted;
  if (wanted !== undefined) {
    const buttons = [...place.querySelectorAll("button[data-typed]")];
    const next = buttons.find((button) => button.dataset.typed === wanted) ?? buttons[0];
    if (next) {
      next.focus({ preventScroll: true });
    } else {
      place.dataset.wanted = wanted;
    }
  }
}
