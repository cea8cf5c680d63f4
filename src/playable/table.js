"use strict";
// The table: its contents, and the actions at it.
const byId = (id) => document.getElementById(id);

// The state of the page.
const page = {
  worker: null,
  waiting: new Map(),
  lastId: 0,
  table: null,
  // The view that is shown, and the view that a card of a game opens.
  view: "games",
  mode: "table",
  // The notation in which one side describes a game of the chosen family, if there is one.
  grammar: null,
  // The messages since the person acted, and the time of the last change of the table.
  recent: [],
  shownAt: 0,
  // What was shown of a game that is watched, for its time line.
  past: [],
  // A number that changes with each action, so that an outdated answer is not shown.
  moment: 0,
  isBusy: false,
  // The last hint: its moment, the opponent's choice in words, and the best choice, once it is known.
  hint: null,
  // The last family in which a hint took long.
  slow: null,
  // Whether choices are being played out; the person may play on meanwhile.
  isMeasuring: false,
  isRunning: false,
  picked: [],
  // The WebAssembly, and the opened files in order, so that a new worker can replace one that is stopped.
  bytes: null,
  opened: [],
  // The games that have ended at this table, in case a strategy is stopped in the next game.
  kept: null,
  // Whether a strategy was stopped, so that the table that is shown no longer exists.
  isLeft: false,
  about: { name: "", words: "", picture: null },
};

// The table and the time of the slowest answer, for tests and for curious users.
window.ruse = { state: () => page.table, isBusy: () => page.isBusy || page.isMeasuring, slowest: { ms: 0, call: "" } };

function tell(problem) {
  byId("problem").hidden = !problem;
  byId("problem").textContent = problem ?? "";
}

// Returns an answer of the games; throws an error with a sentence for the user.
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

// Opens a file, and remembers it if it is a strategy or a rule file.
async function openText(name, text) {
  const opened = await ask({ call: "open", name, text });
  if (opened.kind !== "games") {
    page.opened.push({ call: "open", name, text });
  }
  return opened;
}

// Waits until the page is painted.
const pause = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

// Does one thing at a time at the table, and shows the result or an error.
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
    // A button loses the focus while it is disabled.
    if (document.activeElement === document.body && held.isConnected && !held.disabled) {
      held.focus();
    }
  }
}

const mayStop = (may) => (byId("stop").hidden = !may);

// Stops a strategy that thinks. A worker does not answer while a strategy thinks, so a new worker replaces it, in which
// the table does not exist.
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

// Disables the table, because the worker with its game was stopped.
function leave() {
  page.isLeft = true;
  setRunning(false);
  byId("status").textContent = "";
  for (const control of byId("table").querySelectorAll("button, select, input")) {
    control.disabled = !(control.id === "save" && page.kept);
  }
}

// Instructions for composing an action on the board.
const HOW = {
  pairs: "Choose the two ends of each ship on the board, then press Play; or press Play at random.",
  words: "Choose on the board in the order that you want, then press Play.",
  orders: "Choose a unit and its order, then press Play.",
};

// Returns the name of a family as a title.
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

// Keeps the games when a game has ended.
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
  showTimeline(table);
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
  // If information is hidden, no action can be taken back, so the button would only confuse.
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
  byId("zoom-side").hidden = !board.querySelector(".large");
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

// Returns whether a tap is intended: a quick second tap may hit a button that has just appeared.
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
  // Keep the focus of people who play by keyboard after the strategy has played.
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
  const result = score.payoff
    ? `mean payoff ${score.payoff}`
    : `${who} ${won}, ${drawn}, ${lost}; a score of ${percent(score.score)}${interval}`;
  byId("score").textContent = `After ${games} ${games === 1 ? "game" : "games"}: ${result}.`;
}

// Chooses an item of the board; an item that is chosen again is removed.
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
    // Remove both ends of the ship.
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

// Returns the cells between two cells of a row or a column, such as a1 and a5.
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

// Joins the choices in the menus into an action; the board marks the units that have a choice.
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
  byId("board").querySelectorAll("select.menu, select.group").forEach((select) => (select.value = ""));
}

// Describes a choice: how to type it, and what it does.
const inWords = ({ typed, meaning }) => (meaning ? `${typed}: ${meaning}` : typed);

function showAdvice(title, words) {
  byId("advice").hidden = false;
  byId("advice-title").textContent = title;
  byId("advice-words").textContent = words;
  byId("advice-map").textContent = "";
  byId("advice-table").replaceChildren();
}

// Describes a map in words.
function aboutMap({ meaning, is_aim: isAim, best, largest }) {
  const [MOST] = [8];
  const more = best.length > MOST ? " and others" : "";
  const cells = `${best.slice(0, MOST).join(", ")}${more}`;
  return `${meaning}, in percent on the board.${isAim ? ` Most probable: ${cells} (${percent(largest)}).` : ""}`;
}

// Shows the beliefs about the cells of the board. Unless the map contains the worth of the choices, measures it with
// more and more playouts, each time for a fraction of a second.
async function showWorth(enoughMs = 800) {
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
    if (beliefs?.is_aim) {
      nameBest(beliefs.best[0], `Best known: ${beliefs.best[0]}, with a chance to hit of ${percent(beliefs.largest)}.`);
    }
    if (!beliefs?.is_aim) {
      await measure(moment, enoughMs);
    }
  } catch (error) {
    tell(error.message);
  } finally {
    page.isMeasuring = false;
  }
}

async function measure(moment, enoughMs) {
  const [MOST] = [1000];
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
    nameBest(clearlyBest(values.choices), inWordsBest(values.choices));
    if (values.source === "perfect-play" || times >= MOST || performance.now() - began > enoughMs) {
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

// Returns the best of the choices, which are sorted by their values, unless the opponent's choice may be as good.
function clearlyBest(choices) {
  const [best, advised] = [choices[0], choices.find((choice) => choice.is_advice)];
  return !advised?.interval || advised === best || best.interval[0] > advised.interval[1] ? best.typed : null;
}

// Names the best of the choices.
function inWordsBest(choices) {
  const ends = choices.map(({ interval, score }) => interval ?? [score, score]);
  const areAlike = Math.max(...ends.map(([low]) => low)) <= Math.min(...ends.map(([, high]) => high));
  const [{ typed, score, interval }] = choices;
  if (areAlike && choices.length > 1) {
    return interval ? "No choice is clearly better." : `All choices are worth the same, ${percent(score)}.`;
  }
  return `Best known: ${typed}, with a score of ${percent(score)}.`;
}

// Says which choice is best, before the opponent's choice, if a hint was asked for.
function nameBest(typed, words) {
  if (page.hint?.moment !== page.moment) {
    return;
  }
  page.hint.best = typed;
  byId("advice-words").textContent = `${words} ${page.hint.words}`;
  byId("status").textContent = `Hint: ${words}`;
  const isHinted = (item) => item.classList.toggle("is-hinted", item.dataset.typed === typed);
  byId("table").querySelectorAll("button[data-typed]").forEach(isHinted);
}

async function hint(enoughMs) {
  await act(async () => {
    const { hint: typed } = await ask({ call: "hint" });
    const words =
      typed === null ? "In your place, your opponent would not know either." : `In your place, your opponent would play ${typed}.`;
    page.hint = { moment: page.moment, words, best: null };
    showAdvice("Hint", words);
  });
  await showWorth(enoughMs);
  byId("advice").scrollIntoView({ block: "nearest" });
}

// Plays the best known choice, or what the opponent would play if none is clearly better.
async function follow() {
  const [QUICK_MS, SLOW_MS] = [50, 1000];
  const { family } = page.table;
  if (page.hint?.moment !== page.moment && page.slow !== family) {
    const began = performance.now();
    await hint(QUICK_MS);
    // In large games even one playout takes long.
    page.slow = performance.now() - began > SLOW_MS ? family : page.slow;
  }
  const best = page.hint?.moment === page.moment ? page.hint.best : null;
  await play(best === null ? { call: "follow" } : { call: "act", typed: best });
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

// Asks for confirmation before an action that ends a game.
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
    hint: () => hint(),
    explain,
    follow,
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
  byId("timeline").addEventListener("input", (event) => page.past.length && lookBack(Number(event.target.value)));
  byId("zoom").addEventListener("input", (event) => byId("board").style.setProperty("--zoom", event.target.value));
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
