// Tests the page in a browser, driven by chromedriver, which speaks W3C WebDriver: no other package is needed.
//
//   node page/tests/browser.mjs PAGE.html RUSE [DIRECTORY for screenshots] [axe.min.js]
//
// Every family is played to its end with buttons, the console must stay empty, and `ruse replay` replays saved games.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pagePath, ruse, shots, axe] = process.argv.slice(2);
const address = pathToFileURL(resolve(pagePath)).href;
const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";
const port = 9500 + (process.pid % 400);
const driver = spawn("chromedriver", [`--port=${port}`, "--silent"], { stdio: "ignore" });
const directory = mkdtempSync(join(tmpdir(), "ruse-browser-"));
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function send(method, path, body) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    body: body && JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  const { value } = await response.json();
  if (value?.error) {
    throw new Error(`${path}: ${value.error}: ${value.message}`);
  }
  return value;
}

// Opens a separate window.
async function open(width, height, options = [], media = null) {
  const quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", ...quiet, `--window-size=${width},${height}`, ...options];
  const capabilities = {
    alwaysMatch: {
      browserName: "chrome",
      // Hints are measured before they are played.
      timeouts: { script: 300_000 },
      "goog:chromeOptions": { binary: chromium, args, prefs: { "download.default_directory": directory } },
      "goog:loggingPrefs": { browser: "ALL" },
    },
  };
  const { sessionId } = await send("POST", "/session", { capabilities });
  const session = {
    run: (script, ...args) => send("POST", `/session/${sessionId}/execute/sync`, { script, args }),
    later: (script, ...args) => send("POST", `/session/${sessionId}/execute/async`, { script, args }),
    go: (url) => send("POST", `/session/${sessionId}/url`, { url }),
    log: () => send("POST", `/session/${sessionId}/se/log`, { type: "browser" }),
    keys: (text) =>
      send("POST", `/session/${sessionId}/actions`, {
        actions: [
          {
            type: "key",
            id: "keyboard",
            actions: [...text].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]),
          },
        ],
      }),
    cdp: (cmd, params) => send("POST", `/session/${sessionId}/goog/cdp/execute`, { cmd, params }),
    close: () => send("DELETE", `/session/${sessionId}`),
    async until(script, what, seconds = 60) {
      const end = Date.now() + 1000 * seconds;
      while (!(await session.run(`return Boolean(${script})`))) {
        assert.ok(Date.now() < end, `${what}: ${await session.run("return document.getElementById('problem').textContent")}`);
        await sleep(20);
      }
    },
    async shot(name) {
      if (shots) {
        const { contentSize } = await session.cdp("Page.getLayoutMetrics", {});
        const clip = { x: 0, y: 0, width, height: Math.min(contentSize.height, 4000), scale: 1 };
        const { data } = await session.cdp("Page.captureScreenshot", { captureBeyondViewport: true, clip });
        writeFileSync(join(shots, `${name}.png`), Buffer.from(data, "base64"));
      }
    },
  };
  // A window is at least 500 pixels wide, but its viewport can be narrower.
  await session.cdp("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 500 });
  if (media) {
    await session.cdp("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: media }] });
  }
  return session;
}

const IDLE = "window.ruse && !window.ruse.isBusy()";

async function ready(session, hash = "") {
  await session.go("about:blank");
  await session.go(address + hash);
  await session.until("window.ruse && window.ruse.ready_ms", "the page does not start");
}

// Chooses a family, and starts a game.
async function sit(session, family, seed = 7, rules = {}, choose = {}) {
  await session.run("document.getElementById('family').value = arguments[0]; document.getElementById('family').dispatchEvent(new Event('change'))", family);
  await session.until("document.getElementById('opponent').dataset.family === document.getElementById('family').value", `${family}: no opponents`);
  await session.run(
    `const [seed, rules, choose] = arguments;
     for (const [id, value] of Object.entries(choose)) document.getElementById(id).value = value;
     for (const [rule, value] of Object.entries(rules)) {
       const input = document.querySelector('[data-rule="' + rule + '"]');
       if (input) input.value = value;
     }
     document.getElementById("seat").value = "first";
     document.getElementById("seed").value = seed;
     document.querySelector("#choice button.main").click();`,
    String(seed), rules, choose,
  );
  await session.until(IDLE, `${family}: nobody sits down`);
  await session.until("window.ruse.state()", `${family}: there is no table`);
}

// Presses a button until the game is over.
async function play(session, button) {
  return session.later(
    `const [button, done] = arguments;
     const step = () => {
       const state = window.ruse.state();
       if (window.ruse.isBusy()) return setTimeout(step, 0);
       if (state.turn === "nobody") return done(state.ending.words);
       if (!document.getElementById("problem").hidden) return done("problem: " + document.getElementById("problem").textContent);
       document.getElementById(button).click();
       setTimeout(step, 0);
     };
     step();`,
    button,
  );
}

const SHORT = { "max-turns": 60, "max-plies": 60, "max-redraws": 20, playouts: 4, cap: 100 };

async function everyFamily(session) {
  const families = await session.run("return [...document.querySelectorAll('#family option')].map((option) => option.value)");
  for (const family of families) {
    await sit(session, family, 7, SHORT);
    const words = await play(session, "follow");
    assert.ok(words && !words.startsWith("problem"), `${family}: ${words}`);
    await saved(session, family);
  }
  return families.length;
}

// Returns the transcript that the page saves, checked by a replay in the terminal.
async function saved(session, family) {
  await session.run("document.getElementById('save').click()");
  await session.until("window.ruse.saved", `${family}: nothing is saved`);
  const yaml = await session.run("const { saved } = window.ruse; delete window.ruse.saved; return saved");
  const path = join(directory, "games.yaml");
  writeFileSync(path, yaml);
  const { status, stderr } = spawnSync(ruse, ["replay", path], { encoding: "utf8" });
  assert.equal(status, 0, `${family}: ruse replay: ${stderr}`);
  return yaml;
}

// Opens a file as if a user had chosen it.
async function drop(session, name, text, repeated = 1) {
  await session.run(
    `const [name, text, repeated] = arguments;
     const data = new DataTransfer();
     data.items.add(new File([text.repeat(repeated)], name));
     dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));`,
    name, text, repeated,
  );
  await session.until(IDLE, name);
  return session.run("const problem = document.getElementById('problem'); return problem.hidden ? '' : problem.textContent");
}

async function files(session) {
  for (const [name, text, repeated, expected] of [
    ["picture.png", "x", 1, "not a file of ours"],
    ["huge.yaml", "x".repeat(1 << 20), 100, "100.0 MB"],
    ["old.yaml", "family: war\nversion: 9\nparameters: [1, 2, 3]\n", 1, "version"],
    ["short.yaml", "family: war\nparameters: [1]\n", 1, "short.yaml"],
    ["wrong.kif", "(role x", 1, "wrong.kif:1:1"],
    ["<img src=x onerror=alert(1)>.yaml", "family: <script>alert(1)</script>\nparameters: [1]\n", 1, "<script>"],
  ]) {
    const problem = await drop(session, name, text, repeated);
    assert.ok(problem.includes(expected), `${name}: ${problem}`);
  }
  const hostile = "<img src=x onerror=document.title=1>";
  assert.equal(await drop(session, `${hostile}.yaml`, "family: pig\nparameters: {others: 0}\n"), "");
  assert.equal(await session.run("return document.querySelectorAll('main img').length"), 0);
  await sit(session, "pig", 7, {}, { opponent: await session.run("return document.getElementById('opponent').value") });
  assert.ok((await session.run("return document.getElementById('about-words').textContent")).includes(hostile));
  const saved = "family: nim\nopponent: optimal\nseed: 1\ngames:\n- person: first\n  result: unfinished\n  actions: [{first: 4 4}]\n";
  assert.equal(await drop(session, "saved.yaml", saved), "");
  await session.run("document.getElementById('step').click()");
  await session.until(IDLE, "step");
  assert.equal(await session.run("return window.ruse.state().num_actions"), 1);
}

// Plays a game of four in a row with the keyboard alone.
async function keyboard(session) {
  const [ENTER, RIGHT, TAB] = ["\uE007", "\uE014", "\uE004"];
  await sit(session, "four-in-a-row");
  await session.run("document.querySelector('#board button.cell[tabindex=\"0\"]').focus()");
  await session.keys(RIGHT + RIGHT + ENTER);
  await session.until(`${IDLE} && window.ruse.state().num_actions >= 2`, "a stone by keys");
  const log = await session.run("return document.getElementById('log').textContent");
  assert.ok(log.includes("column c"), log);
  const focus = await session.run("return document.activeElement.dataset.typed");
  assert.equal(focus, "c", "who plays by keys stays where they were");
  await session.keys(TAB);
  assert.notEqual(await session.run("return document.activeElement.closest('#board')?.id ?? null"), "board", "a board is one stop of the tab key");
  // Choices: the focus stays among them while the strategy plays.
  await sit(session, "tic_tac_toe.kif");
  await session.run("document.querySelector('#choices button').focus()");
  await session.keys(ENTER);
  await session.until(`${IDLE} && window.ruse.state().turn === "person"`, "a choice by keys");
  assert.equal(await session.run("return document.activeElement.parentElement.id"), "choices");
  await session.keys(ENTER);
  await session.until(`${IDLE} && window.ruse.state().num_actions >= 4`, "another choice by keys");
  assert.equal(await session.run("return window.ruse.state().game"), 1);
  // A game cannot be resigned by accident.
  const resign = () => session.run("document.getElementById('resign').click(); return document.getElementById('resign').textContent");
  assert.equal(await resign(), "Really give up?");
  assert.equal(await session.run("return window.ruse.state().turn"), "person");
  assert.equal(await resign(), "Give up");
  await session.until(`${IDLE} && window.ruse.state().turn === "nobody"`, "given up");
}

// Plays actions that consist of several choices on the board: a fleet by its ends, an order of columns, orders from menus.
async function boards(session) {
  const choose = (typed) =>
    session.run(
      `for (const typed of arguments[0]) {
         const buttons = [...document.querySelectorAll("#board button[data-typed]")];
         buttons.find((button) => button.dataset.typed === typed).click();
       }
       return document.getElementById("typed").value;`,
      typed,
    );
  const submit = async () => {
    await session.run("document.querySelector('#typing button[type=submit]').click()");
    await session.until(IDLE, "what was put together");
    return session.run("return [document.getElementById('problem').textContent, window.ruse.state().num_actions]");
  };
  await sit(session, "battleship");
  // A second choice of the same item takes the first back: for a ship, both its ends.
  assert.equal(await choose(["a1", "a5", "c3", "c5", "a5"]), "c3-c5");
  await session.run("document.getElementById('clear').click()");
  assert.equal(await choose(["a1", "b1", "c3", "c5", "e2", "h2", "a9", "e9"]), "a1-b1 c3-c5 e2-h2 a9-e9");
  assert.deepEqual(await submit(), ["", 2]);
  await choose(["e5"]);
  await session.until(`${IDLE} && window.ruse.state().num_actions === 4`, "a shot");
  await sit(session, "phantom-four");
  assert.equal(await choose(["d", "c"]), "d c");
  assert.deepEqual(await submit(), ["", 2]);
  await sit(session, "rts-script");
  // A unit on the board opens the menu of its orders, and shows that it has orders.
  const unit = "document.querySelector('button[data-opens]')";
  await session.run(`${unit}.focus()`);
  const [ENTER, ESCAPE] = ["\uE007", "\uE00C"];
  await session.keys(ENTER);
  const opened = "document.activeElement?.name === document.querySelector('button[data-opens]').dataset.opens";
  await session.until(opened, "the orders of a unit");
  await session.keys(ESCAPE);
  const orders = await session.run(
    `for (const menu of document.querySelectorAll("select.menu")) {
       menu.selectedIndex = 1;
       menu.dispatchEvent(new Event("change"));
     }
     return document.getElementById("typed").value;`,
  );
  assert.match(orders, /^\d+,\d+ \w+(;\d+,\d+ \w+)*$/);
  const [units, ordered] = await session.run(
    "return ['', '.is-picked'].map((kind) => document.querySelectorAll(`button[data-opens]${kind}`).length)",
  );
  assert.ok(units > 0 && ordered === units, `${ordered} of ${units} units`);
  assert.equal((await submit())[0], "");
  // All units of a kind get the same order at once, here the two workers at the start of 12x12-2.
  await sit(session, "rts-script", 7, { map: 5 });
  const order = () => session.run(
    `const group = document.querySelector('select.group[data-kind="worker"]');
     group.selectedIndex = 1;
     group.dispatchEvent(new Event("change"));
     const chosen = [...document.querySelectorAll("select.menu")].filter(({ value }) => value);
     return [group.value, ...chosen.map((menu) => menu.selectedOptions[0].textContent)];`,
  );
  const grouped = await order();
  assert.equal(grouped.length, 3, grouped.join());
  assert.equal(new Set(grouped).size, 1, grouped.join());
  const cleared = await session.run(
    `document.getElementById("clear").click();
     return [...document.querySelectorAll("#board select")].map(({ value }) => value).join("");`,
  );
  assert.equal(cleared, "");
  await order();
  assert.equal((await submit())[0], "");
  // The champion has a picture.
  const learned = await (async () => {
    await sit(session, "flip");
    return session.run("return [...document.querySelectorAll('#opponent option')].find((option) => option.value.startsWith('file:')).value");
  })();
  await sit(session, "flip", 7, {}, { opponent: learned });
  await session.until("document.querySelector('#about-picture img')?.naturalWidth > 100", "a picture");
  await session.shot("learned-1200-light");
}

// Stops a strategy that computes for minutes; the page continues.
async function stopping(session) {
  const mayStop = "!document.getElementById('stop').hidden";
  const press = (id) => session.run("document.getElementById(arguments[0]).click()", id);
  const stop = async () => {
    await session.until(mayStop, "a button to stop");
    await press("stop");
    await session.until(IDLE, "it stops");
    assert.equal(await session.run(`return ${mayStop}`), false, "nothing to stop");
    return session.run("return document.getElementById('problem').textContent");
  };
  await ready(session);
  // A user's file is still available after a stop.
  assert.equal(await drop(session, "mine.yaml", "family: pig\nparameters: {others: 0}\n"), "");
  const mine = await session.run("return document.getElementById('opponent').value");
  // The adviser computes the hint before the person acts.
  await sit(session, "rts-naive-mcts", 7, { playouts: 20 });
  await session.run(
    `document.querySelector("[data-rule=playouts]").value = "1000000";
     const learned = [...document.querySelectorAll("#opponent option")].find(({ value }) => value.startsWith("file:"));
     document.getElementById("opponent").value = learned.value;
     document.querySelector("#choice button.main").click();`,
  );
  assert.match(await stop(), /^The strategy was stopped, and this game is left\. Sit down again\.$/);
  // Finished games can be saved, although the next one is abandoned.
  await sit(session, "pig", 7, {}, { opponent: mine });
  assert.ok(!(await play(session, "follow")).startsWith("problem"));
  await press("next");
  await session.until(`${IDLE} && window.ruse.state().game === 2`, "the next game");
  await session.run('act(() => ask({ call: "values", times: 1000 })); stopThinking();');
  await session.until(IDLE, "it stops");
  assert.match(await session.run("return document.getElementById('problem').textContent"), /The games before it can be saved/);
  assert.equal(await session.run("return document.getElementById('hint').disabled"), true);
  assert.equal((await saved(session, "pig")).match(/person:/g).length, 1);
  await sit(session, "pig", 7, {}, { opponent: mine });
  assert.ok(!(await play(session, "follow")).startsWith("problem"));
  assert.deepEqual(await session.log(), [], "messages in the console");
}

// A page that may not start a worker can still be played.
async function withoutWorker() {
  const session = await open(800, 600);
  await session.cdp("Page.addScriptToEvaluateOnNewDocument", { source: "window.Worker = undefined;" });
  await ready(session);
  await sit(session, "nim");
  assert.ok(!(await play(session, "follow")).startsWith("problem"));
  await session.run("document.getElementById('hint').click()");
  await session.until(IDLE, "a hint");
  assert.deepEqual(await session.log(), [], "messages in the console");
  await session.close();
}

async function contrast(session, name) {
  if (!axe) {
    return [];
  }
  await session.run(readFileSync(axe, "utf8"));
  const violations = await session.later(
    `const done = arguments[0];
     axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
       .then(({ violations, passes }) => done([passes.length, violations.map(({ id, impact, nodes }) => [id, impact, nodes.length, nodes[0].html.slice(0, 160), nodes[0].failureSummary])]));`,
  ).then(([passes, violations]) => {
    // Fails if axe-core checked nothing.
    assert.ok(passes > 20, `${name}: axe-core has made ${passes} checks`);
    return violations;
  });
  return violations.map((violation) => [name, ...violation]);
}

// Plays as on a phone: games are cards, the board is on the first screen, buttons are large, there are levels, moves are
// judged, and taps describe a real table for advice.
async function phone() {
  assert.match(readFileSync(pagePath, "utf8"), /<p id="loading" role="status">Loading/);
  const session = await open(360, 640);
  await ready(session);
  assert.equal(await session.run("return document.getElementById('loading').hidden"), true);
  const tap = (selector, what = selector) =>
    session.run(
      `const found = [...document.querySelectorAll(arguments[0])].find((item) => item.checkVisibility());
       found?.click();
       return Boolean(found);`,
      selector,
    ).then((isThere) => assert.ok(isThere, `nothing to tap: ${what}`));
  const low = () =>
    session.run(
      `const all = [...document.querySelectorAll("button:not(.cell):not(.thing), select, input:not([type=file]):not([type=checkbox]), textarea, summary, .file")];
       return all.filter((item) => item.checkVisibility() && item.getBoundingClientRect().height < 43.9)
         .map((item) => [item.id || item.textContent, item.getBoundingClientRect().height]);`,
    );
  // The bottom edge of a board on the first screen, in pixels.
  const edge = (place) =>
    session.run("return scrollY + document.querySelector(`${arguments[0]} .grid`).getBoundingClientRect().bottom", place);
  assert.ok((await session.run("return document.querySelectorAll('.card').length")) > 10);
  assert.deepEqual(await low(), [], "buttons of the games");
  await session.shot("cards-360");
  await tap("[data-family=battleship]");
  await session.until(`${IDLE} && window.ruse.state()`, "a table");
  assert.ok((await edge("#board")) <= 640, `a fleet is placed ${await edge("#board")} pixels from the top`);
  await tap("#random");
  await session.until(`${IDLE} && window.ruse.state().turn === "person"`, "a fleet");
  assert.ok((await edge("#board")) <= 640, `the board ends ${await edge("#board")} pixels from the top`);
  assert.deepEqual(await low(), [], "buttons of the table");
  await session.shot("first-screen-360");
  await tap("#to-games");
  await tap("#to-table");
  // A game in progress cannot be abandoned by accident.
  await tap("#levels button");
  assert.equal(await session.run("return document.querySelector('#levels button').textContent"), "Leave this game?");
  await tap("#levels button");
  await session.until(`${IDLE} && window.ruse.state().num_actions === 0`, "a beginner");
  assert.equal(await session.run("return document.getElementById('opponent').value"), "name:random");
  assert.ok(!(await play(session, "random")).startsWith("problem"));
  await tap("#review");
  await session.until(IDLE, "a judgement");
  const judgement = await session.run("return document.getElementById('review-side').textContent");
  assert.match(judgement, /You lost \d+\.\d% at move \d+\..*chance of \d+\.\d% to hit.*It rests on: Probability that a cell/s);
  await session.shot("review-360");
  // Advice at a real table.
  await tap("#to-games");
  await tap("[data-mode=real]");
  await tap("[data-family=pig]");
  await session.until(`${IDLE} && !document.getElementById("real").hidden`, "Pig at a real table");
  await tap("#to-games");
  await tap("[data-family=battleship]");
  const shaded = (number) => `${IDLE} && document.querySelectorAll("#told .believed").length === ${number}`;
  await session.until(shaded(81), "a map");
  assert.ok((await edge("#told")) <= 640, `the board to shoot at ends ${await edge("#told")} pixels from the top`);
  await tap("#told [data-typed=e5]");
  assert.deepEqual(await low(), [], "buttons of the answers");
  await tap("#answers button");
  await session.until(shaded(80), "a miss");
  await tap("#told [data-typed=d4]");
  await session.shot("answers-360");
  await tap("#answers button:nth-child(2)");
  await session.until(shaded(79), "a hit");
  assert.equal(await session.run("return document.getElementById('saw').value"), "placed e5=miss d4=hit");
  await session.shot("real-360");
  await tap("#untell");
  await session.until(shaded(80), "a hit is taken back");
  // An impossible description is reported, and not kept.
  await session.run("const saw = document.getElementById('saw'); saw.value = 'placed e5=miss e5=hit'");
  await tap("#telling button");
  await session.until(IDLE, "a contradiction");
  assert.match(await session.run("return document.getElementById('problem').textContent"), /e5/);
  assert.deepEqual(await session.log(), [], "messages in the console");
  await session.close();
}

async function looks(width, media) {
  const session = await open(width, 900, [], media);
  const found = [];
  await ready(session);
  await session.shot(`start-${width}-${media}`);
  await session.run("page.mode = 'real'; document.querySelector('[data-family=battleship]').click()");
  await session.until(`${IDLE} && document.querySelectorAll("#told .believed").length === 81`, "a real table");
  await session.shot(`real-${width}-${media}`);
  found.push(...(await contrast(session, `real ${width} ${media}`)));
  await session.run("view('games'); document.getElementById('settings').open = true");
  found.push(...(await contrast(session, `start ${width} ${media}`)));
  for (const [family, steps] of [["battleship", 12], ["four-in-a-row", 6], ["war", 3], ["cheat", 8], ["flip", 3], ["guess-who", 2], ["nim", 1], ["phantom-tic-tac-toe", 3], ["phantom-four", 3], ["tic_tac_toe.kif", 2], ["morra", 0], ["pig", 3], ["rts-script", 4]]) {
    await sit(session, family, 3);
    for (let step = 0; step < steps; step += 1) {
      await session.run("document.getElementById('follow').click()");
      await session.until(IDLE, family);
    }
    await session.run("document.getElementById('hint').click()");
    await session.until(IDLE, `${family}: hint`);
    if (family === "battleship") {
      const believed = await session.run("return [...document.querySelectorAll('#board .believed')].map((cell) => Number(cell.textContent))");
      const open = await session.run("return document.querySelectorAll('#board button.cell').length");
      assert.ok(believed.length === open && Math.max(...believed) > 0, `${family}: ${believed.length} of ${open} cells are shaded`);
    }
    const overflow = await session.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert.ok(overflow <= 0, `${family}: ${overflow} pixels are beyond the edge at ${width}`);
    await session.shot(`${family}-${width}-${media}`);
    found.push(...(await contrast(session, `${family} ${width} ${media}`)));
  }
  await session.close();
  return found;
}

try {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await send("GET", "/status");
      break;
    } catch (error) {
      assert.ok(attempt < 100, `chromedriver does not answer: ${error.message}`);
      await sleep(100);
    }
  }
  const session = await open(1200, 900).catch((error) => console.log(`skipped: Chromium does not start: ${error.message}`));
  if (!session) {
    driver.kill();
    rmSync(directory, { recursive: true, force: true });
    process.exit(0);
  }
  await ready(session);
  console.log(`ready after ${(await session.run("return window.ruse.ready_ms")).toFixed(0)} ms`);
  console.log(`${await everyFamily(session)} families played to their ends`);
  const slowest = await session.run("return window.ruse.slowest");
  console.log(`slowest answer: ${slowest.ms.toFixed(0)} ms (${slowest.call})`);
  await files(session);
  console.log("files that are none are refused with words, and names stay text");
  await ready(session);
  await keyboard(session);
  await boards(session);
  await sit(session, "rts-script", 1, {}, { player: "name:worker-rush", opponent: "name:light-rush" });
  await session.shot("watching-1200-light");
  const result = await play(session, "step");
  assert.ok(result.includes("wins") || result.includes("draw"), result);
  // The time line shows the first table that was shown, and the last again.
  const board = () => session.run("return document.getElementById('view').textContent");
  const lookAt = async (end) => {
    await session.run(
      `const line = document.getElementById("timeline");
       line.value = line[arguments[0]];
       line.dispatchEvent(new Event("input"));`,
      end,
    );
    return board();
  };
  const last = await board();
  const first = await lookAt("min");
  assert.ok(first.startsWith("cycle 0 of 3000"), first);
  assert.equal(await lookAt("max"), last);
  assert.notEqual(first, last);
  // A board of more than sixteen columns can be magnified.
  const rows = ["B".padEnd(40, "."), ...Array(18).fill(".".repeat(40)), "b".padStart(40, ".")];
  assert.equal(await drop(session, "long.txt", `${rows.join("\n")}\n`), "");
  await session.run("document.querySelector('#choice button.main').click()");
  await session.until(`${IDLE} && document.querySelector('#board .large')`, "a large board");
  const width = (zoom) =>
    session.run(
      `const zoom = document.getElementById("zoom");
       zoom.value = arguments[0];
       zoom.dispatchEvent(new Event("input"));
       return document.querySelector("#board .cell").getBoundingClientRect().width;`,
      zoom,
    );
  const [small, large] = [await width(1), await width(3)];
  assert.ok(Math.abs(large / small - 3) < 0.1, `${small} and ${large} pixels`);
  await session.shot("large-board-1200-light");
  console.log("played by keys; two strategies watched");
  const messages = await session.log();
  assert.deepEqual(messages, [], "messages in the console");
  await stopping(session);
  await session.close();
  await withoutWorker();
  console.log("a strategy is stopped; played without a worker");
  await phone();
  console.log("cards, a board in the first screen, levels, a judgement, and a real table by taps at 360 pixels");
  const noScript = await open(600, 600, ["--blink-settings=scriptEnabled=false"]);
  await noScript.go(address);
  await noScript.shot("no-script");
  await noScript.close();
  const found = [];
  for (const [width, media] of [[360, "light"], [360, "dark"], [800, "light"], [1600, "light"], [1600, "dark"]]) {
    found.push(...(await looks(width, media)));
  }
  if (axe) {
    assert.deepEqual(found, [], "axe-core");
    console.log("axe-core finds nothing, at 360, 800 and 1600 pixels, light and dark");
  } else {
    console.log("skipped: contrast and roles, which take axe.min.js of axe-core as the last argument");
  }
} finally {
  driver.kill();
  rmSync(directory, { recursive: true, force: true });
}
