"use strict";
// The choice of a game and an opponent, and files.
const MOST_BYTES = 2 << 20;
const PERSON = "person";

// Returns the opponent that the value of an option stands for.
const wanted = (value) => {
  const [kind, ...rest] = value.split(":");
  return kind === "file" ? { file: Number(rest[0]) } : { name: rest.join(":") };
};

// The strategies from files, by their number: files of the page, and files that were opened.
const files = new Map();
// The files of the page that are not opened yet.
let unopened = [];
let families = [];

function group(label, options) {
  return options.length ? [element("optgroup", { label }, options)] : [];
}

const option = (value, text, isChosen = false) => element("option", { value, text, selected: isChosen });

function showFamilies(chosen) {
  const of = (test) => families.filter(test).map(({ name }) => option(name, name, name === chosen));
  const isFile = ({ game }) => game === "rule file";
  const isOwn = ({ game }) => game === "your file";
  byId("family").replaceChildren(
    ...group("Games", of((family) => !isFile(family) && !isOwn(family))),
    ...group("Your files", of(isOwn)),
    ...group("Games from rule files", of(isFile)),
  );
}

// Opens files of the page.
async function openOwn(isWanted) {
  const wantedNow = unopened.filter(isWanted);
  unopened = unopened.filter((file) => !isWanted(file));
  for (const { name, text, picture } of wantedNow) {
    const opened = await openText(name, text);
    if (opened.kind === "strategy") {
      const address = picture && `data:image/svg+xml,${encodeURIComponent(picture)}`;
      files.set(opened.file, { label: opened.label, words: opened.words, picture: address });
    }
  }
}

// Shows the opponents in the chosen family, and its rules.
async function showFamily(opponent) {
  const name = byId("family").value;
  await openOwn((file) => file.family === name);
  const known = await ask({ call: "family", name });
  if (name !== byId("family").value) {
    return;
  }
  const byName = known.opponents.map(({ name: reference }) => [`name:${reference}`, reference]);
  const isChampion = ([, reference]) => reference === "champion";
  const learned = [...byName.filter(isChampion), ...known.files.map((file) => [`file:${file}`, files.get(file).label])];
  const named = byName.filter((option) => !isChampion(option));
  const usual = opponent ?? `name:${known.usual}`;
  const options = (chosen) => (list) => list.map(([value, text]) => option(value, text, value === chosen));
  byId("opponent").replaceChildren(
    ...group("Learned", options(usual)(learned)),
    ...group("Reference strategies", options(usual)(named)),
  );
  byId("player").replaceChildren(
    option(PERSON, "yourself", true),
    ...group("Watch a learned strategy", options(null)(learned)),
    ...group("Watch a reference strategy", options(null)(named)),
  );
  const fields = known.rules.filter(({ least, most }) => least < most).map((rule) => {
    const title = `${rule.meaning} (${rule.least.toLocaleString("en")} to ${rule.most.toLocaleString("en")})`;
    const input = element("input", {
      inputmode: "numeric", autocomplete: "off", value: rule.value, "data-rule": rule.name, "data-usual": rule.value,
    });
    return element("label", { text: `${rule.name}: ${title}` }, [input]);
  });
  byId("rule-fields").replaceChildren(...(fields.length ? fields : [element("p", { text: "There are none." })]));
  byId("opponent").dataset.family = name;
  showLevels(known.levels);
  page.goal = known.goal;
  page.opponents = new Map(known.opponents.map(({ name: of, meaning }) => [`name:${of}`, meaning]));
  page.grammar = known.grammar;
  byId("grammar").textContent = known.grammar?.how ?? "";
  byId("saw").placeholder = known.grammar?.example ?? "";
  showSummary();
}

// The cards of games, in order: a mark, the letters on it, and a description of the game.
const CARDS = {
  battleship: ["hit", "", "Find the hidden ships before yours are found."],
  cheat: ["back", "?", "Get rid of your cards, and notice when the other cheats."],
  "four-in-a-row": ["first-stone", "", "Four stones in a line win."],
  "guess-who": ["face", "?", "Ask who it is before the other knows."],
  pig: ["card", "6", "Roll on, or hold what you have."],
  nim: ["match", "", "Take matches, and mind the last one."],
  war: ["card", "A", "The higher card takes both."],
  batawaf: ["card", "6", "War with six ranks of six suits."],
  flip: ["red-card", "9", "Be the first without cards."],
  morra: ["face", "5", "Show fingers, and guess how many there are."],
  "phantom-tic-tac-toe": ["dark", "?", "Three in a row, and nobody sees the board."],
  "phantom-four": ["second-stone", "", "Four in a row, and nobody sees the board."],
  "rts-script": ["first-unit", "", "Two small armies on a map."],
};

// Shows a card for each game, and one card for all games from files.
function showCards() {
  const known = Object.keys(CARDS);
  const isFirst = ({ game }, index) => families.findIndex((other) => other.game === game) === index;
  const games = families.filter((family, index) => isFirst(family, index) && !["rule file", "your file"].includes(family.game));
  const place = ({ name }) => (known.includes(name) ? known.indexOf(name) : known.length);
  games.sort((first, second) => place(first) - place(second));
  const card = (name, title, [mark, text, words], chosen) => {
    const button = element("button", { type: "button", class: "card", "data-family": name }, [
      glyph({ mark, text }, [32, 32]),
      element("b", { text: title }),
      element("span", { text: words }),
    ]);
    button.addEventListener("click", chosen);
    return element("li", {}, [button]);
  };
  const more = card(null, "More games", ["word", "…", "Variants, rule files, and files of your own."], () => {
    byId("settings").open = true;
    byId("family").focus();
  });
  byId("cards").replaceChildren(
    ...games.map(({ name, game }) =>
      card(name, titled(game), CARDS[name] ?? ["word", "", name], () =>
        act(async () => {
          byId("family").value = name;
          await showFamily();
          await (page.mode === "real" ? goReal() : sitDown());
        }),
      ),
    ),
    more,
  );
}

// Shows the games, the table, or a real table.
function view(name) {
  page.view = name;
  for (const id of ["games", "table", "real"]) {
    byId(id).hidden = id !== name;
  }
  if (name !== "real") {
    byId("play-rules").append(byId("rule-fields"));
  }
  byId("bar").hidden = name === "games" && !page.table;
  byId("to-games").hidden = name === "games";
  byId("to-table").hidden = name === "table" || !page.table;
  byId("levels").hidden = name === "games";
  document.body.dataset.view = name;
}

// Shows buttons for opponents from weak to strong. At a table, another opponent starts a new game.
function showLevels(levels) {
  const buttons = levels.map(({ level, opponent }) => {
    const button = element("button", { type: "button", title: opponent, "data-opponent": `name:${opponent}`, text: level });
    const isGoing = () => page.view === "table" && isOn() && page.table.num_actions > 0;
    const change = surely(button, "Leave this game?", isGoing, () => {
      byId("opponent").value = button.dataset.opponent;
      showSummary();
      return act(page.view === "real" ? advise : sitDown);
    });
    button.addEventListener("click", change);
    return button;
  });
  byId("levels").replaceChildren(...buttons);
}

// Describes the play of the chosen opponent.
function showSummary() {
  const value = byId("opponent").value;
  const file = value.startsWith("file:") ? files.get(wanted(value).file) : null;
  const words = file ? file.words : (page.opponents.get(value) ?? "");
  byId("summary").textContent = `${page.goal}\nThe opponent ${words}.`;
  for (const button of byId("levels").children) {
    button.setAttribute("aria-pressed", button.dataset.opponent === value);
  }
}

// Returns the whole number in a field.
function whole(text, what) {
  if (!/^\d{1,15}$/.test(text.trim())) {
    throw new Error(`${what} is a whole number of at most 15 digits, and not “${text}”.`);
  }
  return Number(text);
}

function changedRules() {
  const inputs = [...byId("rule-fields").querySelectorAll("input")];
  const changed = inputs.filter((input) => input.value.trim() !== input.dataset.usual);
  return Object.fromEntries(changed.map((input) => [input.dataset.rule, whole(input.value, input.dataset.rule)]));
}

const columns = () => Math.max(40, Math.min(76, Math.floor((Math.min(window.innerWidth, 900) - 50) / 8.5)));

async function sitDown() {
  const value = byId("opponent").value;
  const player = byId("player").value;
  const question = {
    call: "sit",
    family: byId("family").value,
    rules: changedRules(),
    opponent: wanted(value),
    player: player === PERSON ? null : wanted(player),
    seat: byId("seat").value,
    seed: whole(byId("seed").value, "The seed"),
    reveal: false,
    width: columns(),
  };
  const table = await ask(question);
  byId("reveal").checked = false;
  const file = value.startsWith("file:") ? files.get(wanted(value).file) : null;
  begin(table, table.opponent_words, file?.picture);
  await goOn();
  byId("title").focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

// Shows a new table.
function begin(table, words, picture) {
  setRunning(false);
  page.recent = [];
  if (page.isLeft) {
    byId("table").querySelectorAll("button, select, input").forEach((control) => (control.disabled = false));
  }
  page.isLeft = false;
  page.kept = null;
  page.about = { name: table.opponent, words };
  byId("log").replaceChildren();
  byId("about-words").textContent = words ? `${table.opponent} ${words}.` : `The opponent is ${table.opponent}.`;
  const image = picture && element("img", { src: picture, alt: `A picture of ${table.opponent}; the words above describe it.` });
  byId("about-picture").hidden = !image;
  byId("about-picture").replaceChildren(...(image ? [image] : []));
  byId("rules").replaceChildren(...table.rules.split("\n").filter(Boolean).map((text) => element("p", { text })));
  show(table);
  view("table");
}

// Opens a file that was chosen or dropped.
async function openFile(file) {
  if (file.size > MOST_BYTES) {
    const size = (file.size / (1 << 20)).toFixed(1);
    throw new Error(`${file.name} has ${size} MB, and no file of ours has more than 2 MB: it was not opened.`);
  }
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} is not text, so it is no strategy, rule file, map or saved game.`);
  }
  const opened = await openText(file.name, text);
  switch (opened.kind) {
    case "strategy":
      files.set(opened.file, { label: opened.label, words: opened.words, picture: null });
      showFamilies(opened.family);
      byId("family").value = opened.family;
      await showFamily(`file:${opened.file}`);
      byId("settings").open = true;
      byId("summary").textContent = `${opened.label} is opened: press Sit down to play against it. It ${opened.words}.`;
      break;
    case "family":
      families = await ask({ call: "families" });
      showCards();
      showFamilies(opened.family);
      byId("family").value = opened.family;
      await showFamily();
      byId("settings").open = true;
      byId("summary").textContent = `${file.name} is opened: press Sit down to play.`;
      break;
    case "games":
      begin(opened.table, "", null);
      byId("status").textContent = "These are games that were saved. Step shows the next action.";
      byId("title").focus({ preventScroll: true });
      window.scrollTo(0, 0);
      break;
  }
}

async function openFiles(list) {
  await act(async () => {
    for (const file of list) {
      await openFile(file);
    }
  });
}

function listenToFiles() {
  byId("file").addEventListener("change", async (event) => {
    await openFiles([...event.target.files]);
    event.target.value = "";
  });
  const mark = (isDropping) => document.body.classList.toggle("is-dropping", isDropping);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", () => mark(false));
  addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    openFiles([...event.dataTransfer.files]);
  });
}

// Unpacks compressed contents of the page.
async function unpacked(id) {
  const packed = Uint8Array.from(atob(byId(id).textContent.trim()), (letter) => letter.charCodeAt(0));
  byId(id).remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// Starts a worker with the games; the worker answers when the games are loaded.
function startWorker(bytes) {
  const text = `${byId("engine").textContent}\nserve();`;
  page.worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  page.worker.onmessage = ({ data }) => {
    const { resolve, reject } = page.waiting.get(data.id);
    page.waiting.delete(data.id);
    if (data.problem === undefined) {
      resolve(data.answer);
    } else {
      reject(new Error(data.problem));
    }
  };
  return fromWorker({ bytes });
}

// With a worker, the page responds while a strategy thinks. If a worker is not possible, the page waits.
async function startGames(bytes) {
  page.bytes = bytes;
  try {
    const answer = startWorker(bytes);
    const failed = new Promise((_, reject) => (page.worker.onerror = () => reject(new Error("no worker"))));
    await Promise.race([answer, failed]);
  } catch {
    page.worker = null;
    page.waiting.clear();
    await engine.load(bytes);
  }
}

async function start() {
  const missing = [
    ["WebAssembly", typeof WebAssembly === "undefined"],
    ["DecompressionStream", typeof DecompressionStream === "undefined"],
  ].filter(([, isMissing]) => isMissing);
  if (missing.length) {
    tell(`This browser is too old for this page: it lacks ${missing.map(([name]) => name).join(" and ")}.`);
    return;
  }
  listen();
  listenToFiles();
  await startGames(await unpacked("wasm"));
  unopened = JSON.parse(new TextDecoder().decode(await unpacked("files")));
  await openOwn((file) => file.family === null);
  families = await ask({ call: "families" });
  const known = (name) => families.some((family) => family.name === name);
  const linked = decodeURIComponent(location.hash.slice(1));
  const { first } = document.querySelector("main").dataset;
  byId("seed").value = String(Math.floor(Math.random() * 1_000_000));
  const begins = [linked, first].find(known);
  showCards();
  showFamilies(begins ?? families[0].name);
  // The author of the page wants visitors to meet the author's strategy.
  await showFamily(begins && begins !== linked ? "file:0" : undefined);
  byId("family").addEventListener("change", () => showFamily().catch((error) => tell(error.message)));
  byId("opponent").addEventListener("change", showSummary);
  byId("choice").addEventListener("submit", (event) => {
    event.preventDefault();
    act(sitDown);
  });
  byId("to-games").addEventListener("click", () => {
    view("games");
    byId("cards").querySelector("button").focus({ preventScroll: true });
    window.scrollTo(0, 0);
  });
  byId("to-table").addEventListener("click", () => {
    view("table");
    byId("title").focus({ preventScroll: true });
  });
  for (const button of byId("modes").children) {
    button.addEventListener("click", () => {
      page.mode = button.dataset.mode;
      [...byId("modes").children].forEach((other) => other.setAttribute("aria-pressed", other === button));
    });
  }
  listenToReal();
  byId("loading").hidden = true;
  byId("settings").hidden = false;
  view("games");
  if (begins) {
    await act(sitDown);
  }
  window.ruse.ready_ms = performance.now();
}

start().catch((error) => tell(`The page cannot start: ${error.message}`));
