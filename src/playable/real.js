"use strict";
// Advice at a real table, from what one side saw and did. In games with shots at cells, taps enter shots and answers.

// The first words of the text in games that give advice before the first tap.
const BEGINS = { battleship: "placed" };

const chosenFamily = () => byId("family").value;

const ruleOf = (name) => byId("rule-fields").querySelector(`[data-rule="${name}"]`)?.value ?? null;

// Shows the chosen family at a real table.
async function goReal() {
  const family = chosenFamily();
  if (!page.grammar) {
    throw new Error(`What one side saw and did in ${titled(family)} cannot be told here, so there is no advice at a real table.`);
  }
  view("real");
  byId("real-rules").append(byId("rule-fields"));
  byId("real-title").textContent = `${titled(family)}: advice at a real table`;
  byId("saw").value = BEGINS[family] ?? "";
  byId("told-seat").value = "";
  clearTold();
  if (byId("saw").value) {
    await advise();
  } else {
    byId("real-status").textContent = "Type what you saw and did, and press Advise me.";
  }
  byId("real-title").focus();
  window.scrollTo(0, 0);
}

function clearTold() {
  byId("told").replaceChildren();
  byId("told-words").replaceChildren();
  byId("answers").replaceChildren();
  byId("real-status").textContent = "";
}

// Shows what the chosen opponent would do in the place of the person who enters what they saw.
async function advise() {
  const seat = byId("told-seat").value;
  const told = await ask({
    call: "advise",
    family: chosenFamily(),
    rules: changedRules(),
    strategy: wanted(byId("opponent").value),
    saw: byId("saw").value,
    seat: seat || null,
    width: columns(),
  });
  const { beliefs } = told;
  byId("answers").replaceChildren();
  const board = element("div", {});
  if (told.drawing && beliefs?.is_aim) {
    draw(board, aimable(told), aim, null);
  } else if (told.drawing) {
    draw(board, told.drawing, null, null);
  } else {
    board.append(element("pre", { text: told.view }));
  }
  if (beliefs) {
    shade(board, beliefs);
  }
  byId("told").replaceChildren(board);
  const name = byId("opponent").selectedOptions[0].textContent;
  const [MOST] = [5];
  const often = ({ share }) => (share >= 1 ? "always" : percent(share));
  const chosen = (told.decision?.chosen ?? []).slice(0, MOST).map((choice) => `${inWords(choice)} (${often(choice)})`);
  const scores = (told.values?.choices ?? []).slice(0, MOST).map((choice) => `${inWords(choice)} ${percent(choice.score)}`);
  const worth = told.missing && !beliefs?.is_aim
    ? `What the choices are worth depends on ${told.missing}, which you did not tell.`
    : scores.length ? `What the choices score: ${scores.join("; ")}.` : "";
  byId("real-status").textContent = beliefs?.is_aim
    ? `Best: ${beliefs.best[0]} (${percent(beliefs.largest)}). Tap where you shot.`
    : `${name} would play ${chosen.join("; ")}.`;
  const words = [
    ...(beliefs?.is_aim ? [`${name} would play ${chosen.join("; ")}.`] : []),
    ...(beliefs ? [aboutMap(beliefs)] : []),
    ...(worth ? [worth] : []),
  ];
  byId("told-words").replaceChildren(...words.map((text) => element("p", { class: "soft", text })));
}

// Returns the board for shots: each cell without a shot can be chosen, and the other parts are shown if nothing is
// missing.
function aimable({ drawing, missing }) {
  const [board, ...others] = drawing.parts;
  const rows = board.rows.map(({ name, cells }) => ({
    name,
    cells: cells.map((cell, column) => (cell.mark === "empty" ? { ...cell, typed: `${board.columns[column]}${name}` } : cell)),
  }));
  return { ...drawing, parts: [{ ...board, rows }, ...(missing ? [] : others)] };
}

// Asks for the answer after a cell was tapped.
function aim(cell, button) {
  const lengths = ruleOf("sunk") === "1" ? [2, 3, 4, 5] : [];
  const answers = [["Miss", "miss"], ["Hit", "hit"], ...lengths.map((length) => [`Sunk ${length}`, `sunk${length}`])];
  byId("told").querySelectorAll(".is-picked").forEach((item) => item.classList.remove("is-picked"));
  button.classList.add("is-picked");
  byId("real-status").textContent = `${cell}: what was the answer?`;
  const buttons = answers.map(([text, answer]) => {
    const made = element("button", { type: "button", text, "aria-label": `${cell}: ${text}` });
    made.addEventListener("click", () => act(() => tellMore(`${cell}=${answer}`)));
    return made;
  });
  byId("answers").replaceChildren(...buttons);
  buttons[0].focus({ preventScroll: true });
}

// Adds an item to the text, and removes it again if it is invalid.
async function tellMore(item) {
  const before = byId("saw").value;
  byId("saw").value = `${before} ${item}`.trim();
  try {
    await advise();
  } catch (error) {
    byId("saw").value = before;
    throw error;
  }
}

// Removes the last item of the text.
async function untell() {
  const items = byId("saw").value.trim().split(/[\s;,]+/);
  const least = BEGINS[chosenFamily()] ? 1 : 0;
  if (items.length > least) {
    byId("saw").value = items.slice(0, -1).join(" ");
    await (byId("saw").value ? advise() : clearTold());
  }
}

function listenToReal() {
  byId("telling").addEventListener("submit", (event) => {
    event.preventDefault();
    act(advise);
  });
  byId("untell").addEventListener("click", () => act(untell));
  byId("rule-fields").addEventListener("change", () => {
    if (page.view === "real" && byId("saw").value) {
      act(advise);
    }
  });
}
