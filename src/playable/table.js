"use strict";
// The table: what there is to see, and what can be done.
const byId = (id) => document.getElementById(id);

// What the page knows.
const page = {
  worker: null,
  waiting: new Map(),
  lastId: 0,
  table: null,
  // What is shown, and what a card of a game leads to.
  view: "games",
  mode: "table",
  // How one side tells a game of the chosen family, where that can be.
  grammar: null,
  // What was told since the person acted, and when the table changed last.
  recent: [],
  shownAt: 0,
  // Changes with everything that is done, so that what was asked before is not shown after.
  moment: 0,
  isBusy: false,
  // Whether choices are being played out; the person may go on meanwhile.
  isMeasuring: false,
  isRunning: false,
  picked: [],
  // The WebAssembly, and what was opened, in order: a worker that is stopped is followed by one that knows the same.
  bytes: null,
  opened: [],
  // The games that have ended at this table, for who stops a strategy in the next.
  kept: null,
  // Whether a strategy was stopped, so that there is no table behind what is shown.
  isLeft: false,
  about: { name: "", words: "", picture: null },
};

// The table as it is, and how long answers have taken: for tests, and for who is curious.
window.ruse = { state: () => page.table, isBusy: () => page.isBusy || page.isMeasuring, slowest: { ms: 0, call: "" } };

function tell(problem) {
  byId("problem").hidden = !problem;
  byId("problem").textContent = problem ?? "";
}

// An answer of the games; throws what is wrong as a sentence.
async function ask(question) {
  const text = JSON.stringify(question);
  const began = performance.now();
  const answer = page.worker ? await fromWorker({ question: text }) : await engine.answer(text);
  const ms = performance.now() - began;
  if (ms > window.ruse.slowest.ms) {
    window.ruse.slowest = { ms, call: question.call };
  }
  const { ok, error } = JSON.parse(answer);
  if (error !== undefined) {
    throw new Error(error);
  }
  return ok;
}

function fromWorker(message, transfer = []) {
  page.lastId += 1;
  const id = page.lastId;
  return new Promise((resolve, reject) => {
    page.waiting.set(id, { resolve, reject });
    page.worker.postMessage({ ...message, id }, transfer);
  });
}

// Files of strategies and rules are remembered.
async function openText(name, text) {
  const opened = await ask({ call: "open", name, text });
  if (opened.kind !== "games") {
    page.opened.push({ call: "open", name, text });
  }
  return opened;
}

// Time for the page to be painted.
const pause = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

// Does something at the table, one thing at a time, and shows what comes of it.
async function act(work) {
  if (page.isBusy) {
    return;
  }
  const held = document.activeElement;
  page.isBusy = true;
  page.moment += 1;
  tell(null);
  const [LONG_MS] = [1000];
  const isLong = setTimeout(() => mayStop(page.worker !== null), LONG_MS);
  try {
    await work();
  } catch (error) {
    tell(error.message);
  } finally {
    page.isBusy = false;
    clearTimeout(isLong);
    mayStop(false);
    // A button that could not be pressed for a while has lost the focus.
    if (document.activeElement === document.body && held.isConnected && !held.disabled) {
      held.focus();
    }
  }
}

const mayStop = (may) => (byId("stop").hidden = !may);

// Ends the thought of a strategy. A worker cannot be asked while it thinks: another takes its place, which knows nothing of
// the table.
function stopThinking() {
  if (!page.worker || page.waiting.size === 0) {
    return;
  }
  page.worker.terminate();
  const waiting = [...page.waiting.values()];
  page.waiting.clear();
  startWorker(page.bytes);
  page.opened.forEach((question) => fromWorker({ question: JSON.stringify(question) }));
  leave();
  byId("to-games").focus();
  const saved = page.kept ? " The games before it can be saved." : "";
  waiting.forEach(({ reject }) => reject(new Error(`The strategy was stopped, and this game is left.${saved} Sit down again.`)));
}

// There is no table any more behind what is shown.
function leave() {
  page.isLeft = true;
  setRunning(false);
  byId("status").textContent = "";
  for (const control of byId("table").querySelectorAll("button, select, input")) {
    control.disabled = !(control.id === "save" && page.kept);
  }
}

// How an action is put together on the board.
const HOW = {
  pairs: "Choose the two ends of each ship on the board, then press Play; or press Play at random.",
  words: "Choose on the board in the order that you want, then press Play.",
  orders: "Choose a unit and its order, then press Play.",
};

// The name of a family as a title.
const titled = (name) =>
  name === "rts" ? "Real-time strategy" : (name.includes(".") ? name : name.replace(/^./, (letter) => letter.toUpperCase()).replaceAll("-", " "));

const ORDINAL = { first: "first", second: "second" };

// Plays for the person, and then lets the strategy play.
function play(question) {
  return act(async () => {
    page.recent = [];
    show(await ask(question));
    await goOn();
  });
}

// Lets the strategy play until it is the turn of the person.
async function goOn() {
  while (page.table.turn === "strategy" && !page.table.is_watched) {
    byId("status").textContent = "The opponent is thinking.";
    show(await ask({ call: "go", steps: 20 }));
  }
  await keep();
}

// Keeps the games when one has ended.
async function keep() {
  if (page.table.turn === "nobody") {
    page.kept = (await ask({ call: "transcript" })).yaml;
  }
}

function show(table) {
  const [MOST_RECENT] = [4];
  page.table = table;
  page.picked = [];
  page.shownAt = performance.now();
  page.recent = [...page.recent, ...table.told].slice(table.is_watched ? -1 : -MOST_RECENT);
  const { is_watched: isWatched, turn, ending } = table;
  const seat = ORDINAL[table.seat];
  byId("title").textContent = isWatched
    ? `${titled(table.family)}, game ${table.game}`
    : `${titled(table.family)}, game ${table.game}: you play ${seat}`;
  const how = HOW[table.drawing?.entry] ?? "";
  const now = ending ? ending.words : turn === "person" ? `It is your turn. ${how}` : isWatched ? "" : "The opponent is to play.";
  page.status = [...page.recent, now].join(" ").trim();
  byId("status").textContent = page.status;
  showBoard(table);
  showLog(table.told);
  showScore(table);
  const isOwn = turn === "person";
  byId("prompt").textContent = table.prompt ? `Action: ${table.prompt}` : "Action";
  byId("typing").hidden = isWatched;
  byId("tools").hidden = isWatched;
  byId("watching").hidden = !isWatched;
  byId("typed").value = "";
  for (const id of ["hint", "explain", "follow", "random"]) {
    byId(id).disabled = !isOwn;
  }
  byId("typed").disabled = !isOwn;
  byId("take-back").disabled = !table.may_take_back || table.num_actions === 0;
  // Where something is hidden nothing can be taken back, and nobody should wonder why.
  byId("take-back").hidden = table.hides && !table.may_take_back && turn !== "nobody";
  byId("resign").disabled = turn === "nobody";
  byId("step").disabled = turn === "nobody";
  byId("run").disabled = turn === "nobody";
  byId("reveal").closest("label").hidden = isWatched || !table.hides;
  if (turn === "nobody") {
    setRunning(false);
  }
  showChoices(table);
  if (turn === "nobody" && byId("board").dataset.wanted !== undefined) {
    delete byId("board").dataset.wanted;
    byId("next").focus();
  }
  byId("advice").hidden = true;
  byId("review-side").hidden = isWatched || turn !== "nobody" || table.num_actions === 0;
  byId("review").disabled = false;
  byId("review-now").textContent = "";
  byId("review-words").replaceChildren();
}

function showBoard(table) {
  const choose = table.turn === "person" ? pick : null;
  const drawing = table.drawing ?? (table.is_watched ? table.whole : null);
  const text = table.is_watched ? table.everything : table.view;
  byId("view").textContent = text;
  const board = byId("board");
  if (drawing) {
    draw(board, drawing, choose, joinMenus);
  } else {
    board.replaceChildren(element("pre", { text, tabindex: "0", "aria-label": "The table" }));
  }
  byId("in-words").hidden = !drawing;
  const isWhole = !table.is_watched && table.everything !== null;
  byId("whole-side").hidden = !isWhole;
  if (isWhole) {
    byId("everything").textContent = table.everything;
    if (table.whole) {
      draw(byId("whole"), table.whole, null, null);
    } else {
      byId("whole").replaceChildren();
    }
    byId("whole-in-words").open = !table.whole;
  }
}

// A second tap of a finger, on what has come under it since, is not meant.
function isMeant(event) {
  const [TOO_SOON_MS] = [350];
  return event.detail === 0 || performance.now() - page.shownAt > TOO_SOON_MS;
}

function showChoices(table) {
  const buttons = table.choices.map(({ typed, meaning }) => {
    const children = [element("span", { text: typed })];
    if (meaning) {
      children.push(element("span", { class: "means", text: ` ${meaning}` }));
    }
    const button = element("button", { type: "button" }, children);
    button.dataset.typed = typed;
    button.addEventListener("click", (event) => isMeant(event) && play({ call: "act", typed }));
    return button;
  });
  const choices = byId("choices");
  if (choices.contains(document.activeElement)) {
    choices.dataset.wanted = [...choices.children].indexOf(document.activeElement);
  }
  choices.replaceChildren(...buttons);
  // Who plays by keyboard goes on where they were, after the strategy has played.
  const { wanted } = choices.dataset;
  if (wanted !== undefined && (buttons.length || table.turn === "nobody")) {
    delete choices.dataset.wanted;
    if (document.activeElement === document.body) {
      (buttons[wanted] ?? buttons[0] ?? byId("next")).focus({ preventScroll: true });
    }
  }
}

function showLog(told) {
  const log = byId("log");
  for (const text of told) {
    log.prepend(element("li", { text }));
  }
  while (log.children.length > 200) {
    log.lastChild.remove();
  }
}

const percent = (share) => `${(100 * share).toFixed(1)}%`;

function showScore({ score, is_watched: isWatched }) {
  const { wins, draws, losses } = score;
  const games = wins + draws + losses;
  if (games === 0) {
    byId("score").textContent = "No game is over yet.";
    return;
  }
  const who = isWatched ? "The strategy in your place" : "You";
  const [won, drawn, lost] = [`won ${wins}`, `drew ${draws}`, `lost ${losses}`];
  const interval = score.interval
    ? ` (95% interval ${percent(score.interval[0])} to ${percent(score.interval[1])})`
    : "";
  byId("score").textContent =
    `After ${games} ${games === 1 ? "game" : "games"}: ${who} ${won}, ${drawn}, ${lost}; a score of ${percent(score.score)}${interval}.`;
}

// An item of the board was chosen; one that is chosen again is not any more.
function pick(typed, button, event) {
  const { entry } = page.table.drawing;
  if (entry !== "words" && entry !== "pairs") {
    if (isMeant(event)) {
      play({ call: "act", typed });
    }
    return;
  }
  const at = page.picked.findIndex((picked) => picked.button === button);
  if (at < 0) {
    page.picked.push({ typed, button });
  } else if (entry === "words") {
    page.picked.splice(at, 1);
  } else {
    // Both ends of the ship.
    page.picked.splice(at - (at % 2), 2);
  }
  const board = byId("board");
  board.querySelectorAll(".is-picked").forEach((item) => {
    item.classList.remove("is-picked");
    delete item.dataset.order;
  });
  const cells = page.picked.map((picked) => picked.typed);
  const join = entry === "words" ? " " : "-";
  byId("typed").value = cells.reduce((text, cell, index) => `${text}${index % 2 ? join : " "}${cell}`, "").trim();
  page.picked.forEach((picked, index) => {
    picked.button.classList.add("is-picked");
    picked.button.dataset.order = entry === "words" ? index + 1 : (index >> 1) + 1;
    if (entry === "pairs" && index % 2) {
      between(cells[index - 1], cells[index]).forEach((cell) =>
        board.querySelector(`button[data-typed="${cell}"]`)?.classList.add("is-picked"),
      );
    }
  });
  byId("status").textContent = cells.length
    ? `${byId("typed").value}: choose on, or press Play. What is chosen again is taken back.`
    : page.status;
}

// The cells between two of a row or a column, as in a1 and a5.
function between(from, to) {
  const [[column, row], [lastColumn, lastRow]] = [from, to].map((cell) => [cell.charCodeAt(0), Number(cell.slice(1))]);
  const length = Math.max(Math.abs(lastColumn - column), Math.abs(lastRow - row));
  if (column !== lastColumn && row !== lastRow) {
    return [];
  }
  const step = (first, last) => Math.sign(last - first);
  const cell = (index) =>
    `${String.fromCharCode(column + index * step(column, lastColumn))}${row + index * step(row, lastRow)}`;
  return Array.from({ length: Math.max(0, length - 1) }, (_, index) => cell(index + 1));
}

// What is chosen in the menus, as an action; the board shows for which units something is.
function joinMenus() {
  const menus = [...byId("board").querySelectorAll("select.menu")];
  byId("typed").value = menus.map((select) => select.value).filter((typed) => typed).join(";");
  menus.forEach(({ name, value }) =>
    byId("board").querySelector(`button[data-opens="${name}"]`)?.classList.toggle("is-picked", value !== ""),
  );
}

function clearEntry() {
  page.picked = [];
  byId("typed").value = "";
  byId("board").querySelectorAll(".is-picked").forEach((item) => {
    item.classList.remove("is-picked");
    delete item.dataset.order;
  });
  byId("status").textContent = page.status;
  byId("board").querySelectorAll("select.menu").forEach((select) => (select.value = ""));
}

// What a choice is called: as it is typed, and what it does.
const inWords = ({ typed, meaning }) => (meaning ? `${typed}: ${meaning}` : typed);

function showAdvice(title, words) {
  byId("advice").hidden = false;
  byId("advice-title").textContent = title;
  byId("advice-words").textContent = words;
  byId("advice-map").textContent = "";
  byId("advice-table").replaceChildren();
}

// What a map says in words.
function aboutMap({ meaning, is_aim: isAim, best, largest }) {
  const [MOST] = [8];
  const more = best.length > MOST ? " and others" : "";
  const cells = `${best.slice(0, MOST).join(", ")}${more}`;
  return `${meaning}, in percent on the board.${isAim ? ` Most probable: ${cells} (${percent(largest)}).` : ""}`;
}

// What is believed about the cells of the board, and what the choices are worth, unless the map says it: more playouts again
// and again, for a fraction of a second.
async function showWorth() {
  const moment = page.moment;
  page.isMeasuring = true;
  try {
    const beliefs = await ask({ call: "beliefs" });
    if (moment !== page.moment) {
      return;
    }
    if (beliefs) {
      shade(byId("board"), beliefs);
      byId("advice-map").textContent = aboutMap(beliefs);
    }
    if (!beliefs?.is_aim) {
      await measure(moment);
    }
  } catch (error) {
    tell(error.message);
  } finally {
    page.isMeasuring = false;
  }
}

async function measure(moment) {
  const [ENOUGH_MS, MOST] = [800, 1000];
  const began = performance.now();
  for (let times = 1; ; times *= 3) {
    const values = await ask({ call: "values", times });
    if (moment !== page.moment) {
      return;
    }
    if (!values) {
      byId("advice-table").replaceChildren(element("p", { text: "What the choices are worth is not known for this game." }));
      return;
    }
    showTable(values);
    if (values.source === "perfect-play" || times >= MOST || performance.now() - began > ENOUGH_MS) {
      return;
    }
    await pause();
  }
}

function showTable(values) {
  const [SHOWN] = [8];
  const isExact = values.source === "perfect-play";
  const shown = values.choices.filter((choice, index) => index < SHOWN || choice.is_advice);
  shown.sort((first, second) => second.is_advice - first.is_advice);
  const heads = ["score", ...(isExact ? [] : ["95% interval"]), "choice"];
  const rows = shown.map((choice) => {
    const cells = [percent(choice.score)];
    if (!isExact) {
      cells.push(choice.interval ? `${percent(choice.interval[0])} to ${percent(choice.interval[1])}` : "");
    }
    cells.push(`${inWords(choice)}${choice.is_advice ? " (its choice)" : ""}`);
    return element("tr", {}, cells.map((text) => element("td", { text })));
  });
  const head = element("tr", {}, heads.map((text) => element("th", { scope: "col", text })));
  const how = isExact
    ? "Exact, if both play perfectly from here on. A win is 100%, a draw 50%."
    : `Means of ${values.playouts} playouts each, in which both play on as the opponent does. A win is 100%, a draw 50%.`;
  const left = values.num_compared - shown.length;
  const more = left > 0 ? ` ${left} more choices ${isExact ? "score less" : "looked worse"}.` : "";
  byId("advice-table").replaceChildren(
    element("table", {}, [element("thead", {}, [head]), element("tbody", {}, rows)]),
    element("p", { class: "soft", text: how + more }),
  );
}

async function hint() {
  await act(async () => {
    const { hint: typed } = await ask({ call: "hint" });
    const words =
      typed === null ? "In your place, your opponent would not know either." : `In your place, your opponent would play ${typed}.`;
    showAdvice("Hint", words);
    byId("status").textContent = `Hint: ${words}`;
    const isHinted = (item) => item.classList.toggle("is-hinted", item.dataset.typed === typed);
    byId("table").querySelectorAll("button[data-typed]").forEach(isHinted);
  });
  await showWorth();
  byId("advice").scrollIntoView({ block: "nearest" });
}

async function explain() {
  await act(async () => {
    const decision = await ask({ call: "decision", times: 100 });
    const often = ({ share }) => (share >= 1 ? (decision.asked > 1 ? "always" : "asked once") : percent(share));
    const most = decision.chosen.slice(0, 5).map((choice) => `${inWords(choice)} (${often(choice)})`);
    const rest = decision.chosen.length - most.length;
    const more = rest > 0 ? `, and ${rest} others` : "";
    showAdvice(
      `What ${page.about.name} would do in your place`,
      `${most.join("; ")}${more}. Asked ${decision.asked} ${decision.asked === 1 ? "time" : "times"}. Why: it ${page.about.words}.`,
    );
    byId("status").textContent = `In your place, ${page.about.name} would play: ${most.join("; ")}${more}.`;
  });
  await showWorth();
  byId("advice").scrollIntoView({ block: "nearest" });
}

function setRunning(isRunning) {
  page.isRunning = isRunning;
  byId("run").setAttribute("aria-pressed", isRunning);
  byId("run").textContent = isRunning ? "Pause" : "Run";
}

async function run() {
  setRunning(!page.isRunning);
  const [MOST_STEPS, BRISK_MS] = [100, 50];
  let steps = 1;
  while (page.isRunning && page.table.turn === "strategy") {
    const ms = Number(byId("speed").value);
    const began = performance.now();
    await act(async () => {
      show(await ask({ call: "go", steps: ms === 0 ? steps : 1 }));
      await keep();
    });
    const isBrisk = performance.now() - began < BRISK_MS;
    steps = isBrisk ? Math.min(2 * steps, MOST_STEPS) : Math.max(steps >> 1, 1);
    await pause(ms);
  }
}

// Lets the browser save a text.
async function save() {
  await act(async () => {
    const yaml = page.isLeft ? page.kept : (await ask({ call: "transcript" })).yaml;
    window.ruse.saved = yaml;
    const address = URL.createObjectURL(new Blob([yaml], { type: "application/yaml" }));
    const name = `${page.table.family.replace(/[^A-Za-z0-9_-]+/g, "-")}-${page.table.seed}.yaml`;
    const link = element("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  });
}

// What ends a game is asked for twice.
function surely(button, words, isNeeded, work) {
  const text = button.textContent;
  const [PATIENCE_MS] = [5000];
  const calm = () => {
    button.textContent = text;
    delete button.dataset.isSure;
  };
  return () => {
    if (isNeeded() && button.dataset.isSure === undefined) {
      button.dataset.isSure = "";
      button.textContent = words;
      setTimeout(calm, PATIENCE_MS);
      return undefined;
    }
    calm();
    return work();
  };
}

const isOn = () => page.table !== null && page.table.turn !== "nobody";

function listen() {
  const clicks = {
    dismiss: () => tell(null),
    hint,
    explain,
    follow: () => play({ call: "follow" }),
    random: () => play({ call: "random" }),
    "take-back": () => act(async () => show(await ask({ call: "take-back" }))),
    resign: surely(byId("resign"), "Really give up?", isOn, () => play({ call: "resign" })),
    step: () =>
      act(async () => {
        show(await ask({ call: "go", steps: 1 }));
        await keep();
      }),
    stop: stopThinking,
    run,
    next: surely(byId("next"), "Leave this game?", isOn, async () => {
      byId("log").replaceChildren();
      await play({ call: "next" });
      window.scrollTo(0, 0);
    }),
    save,
    review,
    clear: clearEntry,
  };
  for (const [id, work] of Object.entries(clicks)) {
    byId(id).addEventListener("click", work);
  }
  byId("reveal").addEventListener("change", (event) =>
    act(async () => show(await ask({ call: "reveal", reveal: event.target.checked }))),
  );
  byId("typing").addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = byId("typed").value.trim();
    if (typed) {
      play({ call: "act", typed });
    }
  });
}
