import fc from "fast-check";
import { Conversation, commands, type Model } from "../support/promises/conversation-model";
import { startWatched } from "../support/promises/watched-app";
import { expect, test } from "../support/server-test";

/** `npm run soak` asks for 1,000, from another seed each time. */
const wanted = Number(process.env.KILLS ?? 20);
const firstSeed = Number(process.env.SEED ?? 1);

test(`${wanted} kills in conversations that ask, steer, stop, answer, leave and come back: nothing is lost, and nothing runs that nobody allowed`, async ({
  startWithModel,
  gated,
}) => {
  test.setTimeout(wanted * 30_000);
  const watched = await startWatched(startWithModel, gated);
  await watched.ready();
  let kills = 0;
  for (let seed = firstSeed; kills < wanted; seed++) {
    const sequences = fc.commands(commands(fc), { maxCommands: 20, size: "max" });
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const real = await Conversation.begin(watched, `s${seed}`);
        const model: Model = { phase: "idle", questions: 0, notes: 0, allowed: new Map() };
        await fc.asyncModelRun(() => ({ model, real }), sequence);
        if (model.phase === "asking" || model.phase === "calling" || model.phase === "unknown")
          await watched.history.stop(real.runId);
        await watched.quiet();
        const before = kills;
        kills += real.kills;
        // A soak takes the better part of an hour.
        if (Math.floor(kills / 100) > Math.floor(before / 100)) console.log(`${kills} of ${wanted} kills`);
        await watched.check();
      }),
      // What has happened in the application cannot be undone for a shorter sequence.
      { seed, numRuns: 1, endOnFailure: true },
    );
  }
  await watched.check("whole");
  expect(kills).toBeGreaterThanOrEqual(wanted);
});
