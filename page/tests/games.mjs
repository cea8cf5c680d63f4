// Tests the games of the page as WebAssembly, without a browser. Every family is played to its end by hints, and
// `ruse play` with the same answers writes the same bytes.
//
//   node page/tests/games.mjs ruse_page.wasm target/release/ruse
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [wasm, ruse] = process.argv.slice(2);
const bytes = readFileSync(wasm);

const began = performance.now();
const { instance } = await WebAssembly.instantiate(bytes, {});
const { memory, ruse_room, ruse_call, ruse_answer } = instance.exports;

let slowest = { ms: 0, question: "" };

function ask(question) {
  const text = JSON.stringify(question);
  const began = performance.now();
  const encoded = new TextEncoder().encode(text);
  // The memory may move when the module reserves room.
  const room = ruse_room(encoded.length);
  new Uint8Array(memory.buffer, room, encoded.length).set(encoded);
  const length = ruse_call();
  const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, ruse_answer(), length)));
  const ms = performance.now() - began;
  if (ms > slowest.ms) {
    slowest = { ms, question: text };
  }
  return answer;
}

function ok(question) {
  const { ok: answer, error } = ask(question);
  assert.equal(error, undefined, `${JSON.stringify(question)}: ${error}`);
  return answer;
}

function playByHints(table, name) {
  for (let step = 0; step < 20_000; step += 1) {
    switch (table.turn) {
      case "nobody":
        return table;
      case "person":
        table = ok({ call: "follow" });
        break;
      default:
        table = ok({ call: "go", steps: 100 });
    }
  }
  throw new Error(`${name} does not end`);
}

const SHORT = { "max-turns": 300, "max-plies": 200, "max-redraws": 50, playouts: 4, cap: 600 };

const families = ok({ call: "families" });
console.log(`ready after ${(performance.now() - began).toFixed(0)} ms, ${(bytes.length / 1e6).toFixed(2)} MB`);

const directory = mkdtempSync(join(tmpdir(), "ruse-page-"));
try {
  for (const { name } of families) {
    const family = ok({ call: "family", name });
    const own = family.rules.map((rule) => rule.name);
    const rules = Object.fromEntries(Object.entries(SHORT).filter(([rule]) => own.includes(rule)));
    playByHints(ok({ call: "sit", family: name, rules, seat: "first", seed: 7 }), name);
    const { yaml } = ok({ call: "transcript" });
    const ours = join(directory, "ours.yaml");
    const theirs = join(directory, "theirs.yaml");
    writeFileSync(ours, yaml);
    const replayed = spawnSync(ruse, ["replay", ours], { encoding: "utf8" });
    assert.equal(replayed.status, 0, `${name}: ruse replay: ${replayed.stderr}`);
    rmSync(theirs, { force: true });
    const changes = Object.entries(rules).flatMap(([rule, value]) => ["--rule", `${rule}=${value}`]);
    const played = spawnSync(
      ruse,
      ["play", name, "--seat", "first", "--games", "1", "--seed", "7", "--save", theirs, ...changes],
      { encoding: "utf8", input: "all hint\n".repeat(20), maxBuffer: 1 << 28 },
    );
    assert.equal(played.status, 0, `${name}: ruse play: ${played.stderr}`);
    assert.equal(readFileSync(theirs, "utf8"), yaml, `${name}: ruse play wrote another game`);
    // Questions do not change the game, and limits do not depend on a clock.
    ok({ call: "sit", family: name, rules, seat: "first", seed: 8 });
    let table = ok({ call: "go", steps: 100 });
    if (table.turn === "person") {
      const { hint } = ok({ call: "hint" });
      const beliefs = ok({ call: "beliefs" });
      if (beliefs?.is_aim) {
        // The map is exact, but the strategy treats ships without a hit as if they could cross.
        assert.ok(beliefs.largest - beliefs.probabilities[hint] < 0.08, `${name}: ${hint} is far from the most probable`);
      }
      ok({ call: "values", times: 2 });
      assert.ok(ok({ call: "decision", times: 5 }).asked > 0, name);
    }
    table = playByHints(table, name);
    assert.ok(table.ending.words, name);
  }
  console.log(`${families.length} families: each game is the same to the byte as that of ruse play`);

  // Memory stays bounded over a thousand games at one table.
  ok({ call: "sit", family: "pig", seed: 1 });
  let before = 0;
  for (let game = 1; game <= 1_000; game += 1) {
    playByHints(ok({ call: "table" }), "pig");
    ok({ call: "next" });
    before = game === 100 ? memory.buffer.byteLength : before;
  }
  const after = memory.buffer.byteLength;
  assert.ok(after - before < 32 << 20, `${before} bytes after 100 games, ${after} after 1000`);
  console.log(`memory after 1000 games of Pig: ${(after / (1 << 20)).toFixed(1)} MB`);

  // Invalid input is answered with a sentence, and the games continue.
  for (const [name, text] of [
    ["deep.yaml", "[".repeat(1_000_000)],
    ["deep.kif", "(".repeat(1_000_000)],
    ["big.yaml", "x".repeat(3 << 20)],
    ["a.yaml", "family: war\nparameters: [1]\n"],
    ["a.png", "x"],
  ]) {
    const { error } = ask({ call: "open", name, text });
    assert.ok(error?.includes(name.split(".")[0]) && error.length < 2_000, `${name}: ${error}`);
  }
  ok({ call: "table" });
  const { ms, question } = slowest;
  console.log(`slowest answer: ${ms.toFixed(0)} ms, ${question.slice(0, 120)}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
