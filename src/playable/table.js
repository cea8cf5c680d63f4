"use strict";
// The table: what there is to see, and what can be done.
const byId = (id) => document.getElementById(id);

// What the page knows.
const page = {
  worker: null,
  waiting: new Map(),
  lastId: 0,
  table: null,
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
  byId("family").focus();
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

const ORDINAL = { first: "first", second: "second" };

// Plays for the person, and then lets the strategy play.
function play(question) {
  return act(async () => {
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
  page.table = table;
  page.picked = [];
  const { is_watched: isWatched, turn, ending } = table;
  const seat = ORDINAL[table.seat];
  byId("title").textContent = isWatched
    ? `${table.family}, game ${table.game}`
    : `${table.family}, game ${table.game}: you are the ${seat} player`;
  const last = table.told.at(-1) ?? "";
  const now = ending ? ending.words : turn === "person" ? "It is your turn." : isWatched ? "" : "The opponent is to play.";
  byId("status").textContent = `${last} ${now}`.trim();
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

function showChoices(table) {
  const buttons = table.choices.map(({ typed, meaning }) => {
    const children = [element("span", { text: typed })];
    if (meaning) {
      children.push(element("span", { class: "means", text: ` ${meaning}` }));
    }
    const button = element("button", { type: "button" }, children);
    button.addEventListener("click", () => play({ call: "act", typed }));
    return button;
  });
  const choices = byId("choices");
  const held = choices.contains(document.activeElement) ? [...choices.children].indexOf(document.activeElement) : -1;
  choices.replaceChildren(...buttons);
  if (held >= 0) {
    (buttons[held] ?? buttons[0] ?? byId("next")).focus();
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
  const who = isWatched ? "The first named" : "You";
  const [won, drawn, lost] = [`won ${wins}`, `drew ${draws}`, `lost ${losses}`];
  const interval = score.interval
    ? ` (95% interval ${percent(score.interval[0])} to ${percent(score.interval[1])})`
    : "";
  byId("score").textContent =
    `After ${games} ${games === 1 ? "game" : "games"}: ${who} ${won}, ${drawn}, ${lost}; a score of ${percent(score.score)}${interval}.`;
}

// An item of the board was chosen.
function pick(typed, button) {
  const field = byId("typed");
  switch (page.table.drawing.entry) {
    case "words":
      field.value = `${field.value} ${typed}`.trim();
      break;
    case "pairs":
      // Two cells, one after the other, are the ends of a word.
      page.picked.push(typed);
      field.value = page.picked.reduce((text, cell, index) => text + (index % 2 ? `-${cell}` : ` ${cell}`), "").trim();
      break;
    default:
      play({ call: "act", typed });
      return;
  }
  button.classList.add("is-picked");
  byId("status").textContent = `${field.value}: choose on, or press Play.`;
}

// What is chosen in the menus, as an action.
function joinMenus() {
  const chosen = [...byId("board").querySelectorAll("select.menu")].map((select) => select.value);
  byId("typed").value = chosen.filter((typed) => typed).join(";");
}

function clearEntry() {
  page.picked = [];
  byId("typed").value = "";
  byId("board").querySelectorAll(".is-picked").forEach((item) => item.classList.remove("is-picked"));
  byId("board").querySelectorAll("select.menu").forEach((select) => (select.value = ""));
}

// What a choice is called: as it is typed, and what it does.
const inWords = ({ typed, meaning }) => (meaning ? `${typed}: ${meaning}` : typed);

function showAdvice(title, words) {
  byId("advice").hidden = false;
  byId("advice-title").textContent = title;
  byId("advice-words").textContent = words;
  byId("advice-table").replaceChildren();
}

// What the choices are worth: more playouts again and again, for a fraction of a second.
async function showValues() {
  const moment = page.moment;
  page.isMeasuring = true;
  try {
    await measure(moment);
  } catch (error) {
    tell(error.message);
  } finally {
    page.isMeasuring = false;
  }
}

async function measure(moment) {
  const [ENOUGH_MS, MOST] = [400, 1000];
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
    const words = typed === null ? "Your opponent would not know either." : `Your opponent would play ${typed}.`;
    showAdvice("Hint", words);
  });
  await showValues();
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
  });
  await showValues();
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

function listen() {
  const clicks = {
    hint,
    explain,
    follow: () => play({ call: "follow" }),
    random: () => play({ call: "random" }),
    "take-back": () => act(async () => show(await ask({ call: "take-back" }))),
    resign: () => play({ call: "resign" }),
    step: () =>
      act(async () => {
        show(await ask({ call: "go", steps: 1 }));
        await keep();
      }),
    stop: stopThinking,
    run,
    next: () => {
      byId("log").replaceChildren();
      return play({ call: "next" });
    },
    save,
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
