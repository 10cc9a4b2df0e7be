import { serveParent } from "@/bench/support/child";
import { type Addresses, type Contestant, type Outcome, type Row, textTokens, toolTurns } from "./rows";

// Each loads only what it is made of: undici, for one, replaces what the built-in fetch sends with.
const openers = {
  floor: async (to: Addresses) => (await import("./floor")).openFloor(to),
  ours: async (to: Addresses) => (await import("./ours")).openOurs(to),
  "AI SDK": async (to: Addresses) => (await import("./ai-sdk")).openAiSdk(to),
  "bare doStream": async (to: Addresses) => (await import("./bare")).openBare(to),
};
export type ContestantName = keyof typeof openers;

/** Message to a contestant's process: run a conversation so many times. It answers the CPU ms of one. */
export interface Round {
  row: Row;
  times: number;
}

const [name, model, mcp] = process.argv.slice(2) as [ContestantName, string, string];
const contestant: Contestant = await openers[name]({ model, mcp });

serveParent("ready", async ({ row, times }: Round) => {
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (let count = 0; count < times; count++) check(row, await contestant.run(row));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / times;
});

function check(row: Row, { text, toolResults, pieces }: Outcome): void {
  const fits =
    row === "turns"
      ? text === "That was all." && toolResults === toolTurns
      : text.length === textTokens * "token ".length && pieces === textTokens;
  if (!fits)
    throw new Error(
      `${name} did not do what "${row}" asks: ${JSON.stringify({ text, toolResults, pieces })}`,
    );
}
