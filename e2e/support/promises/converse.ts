import fc from "fast-check";
import { Conversation, commands, type Model } from "./conversation-model";
import type { WatchedApp } from "./watched-app";

/** One conversation with what fast-check draws from this seed; returns how often it was killed. */
export async function converse(watched: WatchedApp, seed: number): Promise<number> {
  const sequences = fc.commands(commands(fc), { maxCommands: 20, size: "max" });
  let kills = 0;
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      const real = await Conversation.begin(watched, `s${seed}`);
      const model: Model = { phase: "idle", questions: 0, notes: 0, allowed: new Map() };
      await fc.asyncModelRun(() => ({ model, real }), sequence);
      if (model.phase === "asking" || model.phase === "calling" || model.phase === "unknown")
        await watched.history.stop(real.runId);
      await watched.quiet();
      kills = real.kills;
      await watched.check();
    }),
    // What has happened in the application cannot be undone for a shorter sequence.
    { seed, numRuns: 1, endOnFailure: true },
  );
  return kills;
}
