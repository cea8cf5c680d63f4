"use strict";
// The games: WebAssembly, called with JSON and answering with JSON. This text also runs in a worker, so that the page
// does not wait while a strategy thinks.
const engine = {
  module: null,
  instance: null,

  async load(bytes) {
    engine.module = await WebAssembly.compile(bytes);
    await engine.restart();
  },

  async restart() {
    engine.instance = await WebAssembly.instantiate(engine.module, {});
  },

  // Returns the answer to a question, as the text of an object with `ok` or `error`.
  call(question) {
    const { memory, ruse_room, ruse_call, ruse_answer, ruse_answer_bytes } = engine.instance.exports;
    const bytes = new TextEncoder().encode(question);
    // The memory may move when room is made.
    const room = ruse_room(bytes.length);
    new Uint8Array(memory.buffer, room, bytes.length).set(bytes);
    const answer = (length) => new TextDecoder().decode(new Uint8Array(memory.buffer, ruse_answer(), length));
    try {
      return answer(ruse_call());
    } catch (error) {
      const told = answer(ruse_answer_bytes());
      const problem = `The program has failed, which is a mistake of ours: ${told || error}. Sit down again.`;
      return JSON.stringify({ error: problem, has_failed: true });
    }
  },

  async answer(question) {
    const answer = engine.call(question);
    if (answer.includes('"has_failed":true')) {
      await engine.restart();
    }
    return answer;
  },
};

// Serves as a worker: answers one question after the other.
function serve() {
  let last = Promise.resolve();
  onmessage = ({ data }) => {
    last = last.then(async () => {
      try {
        if (data.bytes) {
          await engine.load(data.bytes);
          postMessage({ id: data.id, answer: "" });
        } else {
          postMessage({ id: data.id, answer: await engine.answer(data.question) });
        }
      } catch (error) {
        postMessage({ id: data.id, problem: String(error) });
      }
    });
  };
}
