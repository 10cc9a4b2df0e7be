import { converse } from "../support/promises/converse";
import { startWatched } from "../support/promises/watched-app";
import { expect, test } from "../support/server-test";

/** `npm run soak` asks for 1,000, from another seed each time. */
const wanted = Number(process.env.KILLS ?? 20);
const firstSeed = Number(process.env.SEED ?? 1);
/** Applications at once: many kills take the better part of an hour in one. */
const lanes = wanted < 100 ? 1 : 3;
const perLane = Math.ceil(wanted / lanes);

for (let lane = 0; lane < lanes; lane++) {
  const title = lanes === 1 ? "" : `, ${lane + 1} of ${lanes}`;
  test(`${perLane} kills in conversations that ask, steer, stop, answer, leave and come back: nothing is lost, and nothing runs that nobody allowed${title}`, async ({
    startWithModel,
    gated,
  }) => {
    test.setTimeout(perLane * 60_000);
    const watched = await startWatched(startWithModel, gated);
    await watched.ready();
    let kills = 0;
    for (let seed = firstSeed + lane * 10_000; kills < perLane; seed++) {
      const before = kills;
      kills += await converse(watched, seed);
      if (Math.floor(kills / 100) > Math.floor(before / 100))
        console.log(`${kills} of ${perLane} kills${title}`);
    }
    await watched.check("whole");
    expect(kills).toBeGreaterThanOrEqual(perLane);
  });
}
