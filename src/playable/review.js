"use strict";
// Looks back at a game: the worth of a person's decisions, and earlier positions of a game that is watched.

// Judges one decision after the other, until the person does something else at the table.
async function review() {
  if (page.isBusy || page.isMeasuring) {
    return;
  }
  const [TIMES, MOST_MS] = [100, 30_000];
  const [moment, began] = [page.moment, performance.now()];
  const judged = [];
  let [number, all] = [0, 1];
  page.isMeasuring = true;
  byId("review").disabled = true;
  try {
    for (; number < all && performance.now() - began < MOST_MS; number += 1) {
      const answer = await ask({ call: "review", decision: number, times: TIMES });
      if (moment !== page.moment) {
        return;
      }
      all = answer.num_decisions;
      byId("review-now").textContent = `Looking at move ${number + 1} of ${all}.`;
      if (answer.judged) {
        judged.push({ ...answer.judged, number: number + 1 });
      }
    }
    showReview(judged, number, all);
  } catch (error) {
    tell(error.message);
  } finally {
    page.isMeasuring = false;
  }
}

function showReview(judged, number, all) {
  const [SHOWN, LEAST] = [5, 0.005];
  if (!judged.length) {
    byId("review-now").textContent = "What moves are worth is not known for this game.";
    return;
  }
  const mean = (of) => judged.reduce((sum, one) => sum + of(one), 0) / judged.length;
  const lost = judged.filter((one) => one.is_clear && one.lost >= LEAST).sort((first, second) => second.lost - first.lost);
  const isAim = judged[0].scale === "aim";
  const moves = number < all ? `the first ${number} of ${all} moves` : `${judged.length} of ${all} moves`;
  const first = lost.length
    ? `You lost ${percent(lost[0].lost)} at move ${lost[0].number}.`
    : "No move lost anything that can be told.";
  const average = isAim
    ? `Your shots had a chance of ${percent(mean((one) => one.value))} to hit on average, the best cells one of ${percent(mean((one) => one.best_value))}.`
    : `In ${lost.length} of them something was lost, ${percent(lost.reduce((sum, one) => sum + one.lost, 0))} of a game in all.`;
  byId("review-now").textContent = `${first} ${moves[0].toUpperCase()}${moves.slice(1)} can be judged. ${average}`;
  const what = isAim ? "a chance of" : "a score of";
  const items = lost.slice(0, SHOWN).map(({ number: at, typed, value, best, best_value: bestValue, lost: by }) =>
    element("li", { text: `Move ${at}: you lost ${percent(by)}. ${typed} had ${what} ${percent(value)}, ${best} one of ${percent(bestValue)}.` }),
  );
  const bases = [...new Set(judged.map((one) => one.rests_on))];
  const unclear = judged.some((one) => !one.is_clear) ? " Differences within the 95% intervals are not counted." : "";
  byId("review-words").replaceChildren(
    ...(items.length ? [element("ul", {}, items)] : []),
    element("p", { class: "soft", text: `From what you knew at each move; luck does not count. It rests on: ${bases.join("; ")}.${unclear}` }),
  );
}

// Adds a table to the time line of its game. Of a long game, every other table is forgotten.
function showTimeline(table) {
  const [MOST] = [400];
  if (table.game !== page.past[0]?.table.game || !table.is_watched || table.num_actions === 0) {
    page.past = [];
  }
  if (!table.is_watched) {
    return;
  }
  page.past.push({ table, status: page.status });
  if (page.past.length > MOST) {
    page.past = page.past.filter((_, index) => index % 2 === 0 || index === page.past.length - 1);
  }
  const line = byId("timeline");
  line.max = page.past.length;
  line.value = page.past.length;
  line.disabled = page.past.length < 2;
}

// Shows an earlier table of a game that is watched. Step and Run go on from the last.
function lookBack(number) {
  setRunning(false);
  const { table, status } = page.past[number - 1];
  showBoard(table);
  byId("status").textContent = number < page.past.length ? `${number} of ${page.past.length}: ${status}` : status;
}
