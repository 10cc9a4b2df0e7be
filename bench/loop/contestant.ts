import { serveParent } from "@/bench/support/child";
import { ask, type Question } from "./semantics";
import {
  type Addresses,
  type Contestant,
  type CpuRow,
  cpuRows,
  crowdRow,
  lastWords,
  loopsAtOnce,
  type McpAddress,
  type Outcome,
  parallelRow,
  type Row,
  textTokens,
  tokenText,
} from "./tasks";

type Which = "few" | "many";
type Open = (to: Addresses, which: Which) => Promise<Contestant>;
const peer = async (file: string): Promise<{ open: (to: Addresses) => Promise<Contestant> }> =>
  import(`../peers/${file}.mjs`);

const [name, json] = process.argv.slice(2) as [ContestantName, string];
const { few, many, ...models } = JSON.parse(json) as Places;

// Each loads only what it is made of: undici, for one, replaces what the built-in fetch sends with.
const openers = {
  floor: async (to) => (await import("./floor")).openFloor(to),
  "bare doStream": async (to) => (await import("./bare")).openBare(to),
  ports: async (to) => (await import("./ports")).openPorts(to),
  ours: async (to) => (await import("./ours")).openOurs(to),
  "ours, stored": async (to, which) => (await import("./stored")).openStored(to, which, { few, many }),
  "Gemini, doStream": async (to) => (await import("./adapters")).openBare("gemini", to),
  "Gemini, ours": async (to) => (await import("./adapters")).openAdapter("gemini", to),
  "Claude, doStream": async (to) => (await import("./adapters")).openBare("claude", to),
  "Claude, ours": async (to) => (await import("./adapters")).openAdapter("claude", to),
  "Responses, doStream": async (to) => (await import("./adapters")).openBare("responses", to),
  "Responses, ours": async (to) => (await import("./adapters")).openAdapter("responses", to),
  "AI SDK": async (to) => (await import("./ai-sdk")).openAiSdk(to),
  Strands: async (to) => (await peer("strands")).open(to),
  LangGraph: async (to) => (await peer("langgraph")).open(to),
  "OpenAI Agents": async (to) => (await peer("openai-agents")).open(to),
  Mastra: async (to) => (await peer("mastra")).open(to),
  ADK: async (to) => (await peer("adk")).open(to),
} satisfies Record<string, Open>;
export type ContestantName = keyof typeof openers;

/** Message to a contestant's process; see the answers below. */
export type Order =
  /** Runs a conversation again and again for so long. */
  | { do: "warm up"; row: CpuRow; ms: number }
  /** CPU ms of one conversation. */
  | { do: "cpu"; row: CpuRow; times: number }
  /** Ms by the clock, once. */
  | { do: "parallel" }
  /** CPU ms of each of the loops that run at once. */
  | { do: "crowd" }
  /** The most that the process has held so far, MB. */
  | { do: "memory" }
  | { do: "ask"; question: Question };

/** Addresses with two MCP servers: one with few and one with many tools. */
export interface Places extends Omit<Addresses, "mcp"> {
  few: McpAddress;
  many: McpAddress;
}

const open = (which: Which): Promise<Contestant> =>
  (openers[name] as Open)({ ...models, mcp: { few, many }[which] }, which);
const contestants = { few: await open("few"), many: undefined as Contestant | undefined };

async function contestant({ many: wantsMany }: Row): Promise<Contestant> {
  if (!wantsMany) return contestants.few;
  contestants.many ??= await open("many");
  return contestants.many;
}

serveParent("ready", (order: Order) => {
  switch (order.do) {
    case "warm up":
      return warmUp(cpuRows[order.row], order.ms);
    case "cpu":
      return cpuOf(order.times, () => runOnce(cpuRows[order.row]));
    case "parallel":
      return clockOf(() => runOnce(parallelRow));
    case "crowd":
      return cpuOf(1, crowd).then((ms) => ms / loopsAtOnce);
    case "memory":
      return Promise.resolve(process.resourceUsage().maxRSS / 1_024);
    case "ask":
      return ask(contestants.few, order.question);
  }
});

async function warmUp(row: Row, ms: number): Promise<number> {
  const end = performance.now() + ms;
  let count = 0;
  for (; count === 0 || performance.now() < end; count++) await runOnce(row);
  return count;
}

/** After laps that do not count: whoever has rested while the others ran finds the caches cold. */
async function cpuOf(times: number, run: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  for (let count = 0; count < Math.ceil(times / 2); count++) await run();
  const before = process.cpuUsage();
  for (let count = 0; count < times; count++) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / times;
}

async function clockOf(run: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await run();
  return performance.now() - before;
}

async function crowd(): Promise<void> {
  await Promise.all(Array.from({ length: loopsAtOnce }, () => runOnce(crowdRow)));
}

async function runOnce(row: Row): Promise<void> {
  check(row, await (await contestant(row)).run(row.task));
}

function check(
  { title, task, toolResults: wanted }: Row,
  { text, toolResults, pieces, ended }: Outcome,
): void {
  const fits = task.question.startsWith("tokens")
    ? text.length === textTokens * tokenText.length && pieces === textTokens
    : text === lastWords && toolResults === wanted;
  if (!fits) {
    const got = JSON.stringify({ text: text.slice(0, 100), toolResults, pieces, ended });
    throw new Error(`${name} did not do what "${title}" asks: ${got}`);
  }
}
