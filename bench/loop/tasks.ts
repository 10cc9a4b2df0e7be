/** What the loops are asked to do. The model's server goes by the words of the question. */
export interface Task {
  question: string;
  /** Exchanges of the conversation before the question. */
  history: readonly Exchange[];
  /** Turns of the model that are enough for it. */
  maxTurns: number;
  signal?: AbortSignal;
  /** The history ends in a call of `echo` that has no result. */
  pending?: true;
}

export interface Exchange {
  user: string;
  model: string;
}

/** What came of it, so that a contestant that does less than the others is noticed. */
export interface Outcome {
  text: string;
  /** Without those that say that a call failed. */
  toolResults: number;
  /** Pieces of text that reached the caller one by one. */
  pieces: number;
  /** How it ended, in the words of the contestant; absent when it does not say. */
  ended?: string;
}

export interface Contestant {
  run(task: Task): Promise<Outcome>;
  /** Runs the task with an approval before each tool: what came until it waits, and after it was given. Absent: there is none. */
  approve?(task: Task): Promise<{ asked: Outcome; resumed: Outcome }>;
}

/** Where an MCP server is: its address, or how to start it. */
export type McpAddress = { url: string } | { command: string; args: string[] };

export interface Addresses {
  /** Base URL of the OpenAI-compatible server. */
  openai: string;
  /** Base URL of the server that speaks Gemini's wire; the same model. */
  gemini: string;
  /** Of the one that speaks Anthropic's; the same model. */
  claude: string;
  /** Of the one that speaks OpenAI's Responses API; the same model. */
  responses: string;
  mcp: McpAddress;
}

export const system = "You are a model in a benchmark.";
export const lastWords = "That was all.";

/** Its name, what to do, and whether the MCP server with the many tools is used. */
export interface Row {
  title: string;
  task: Task;
  toolResults: number;
  many?: true;
}

/** With what the model's server must have been sent at least, or it answers something else: who sends less is noticed. */
const turns = (
  count: number,
  { history = [], tools = fewTools }: { history?: readonly Exchange[]; tools?: number } = {},
): Pick<Row, "task" | "toolResults"> => ({
  task: {
    question: `turns ${count} after ${2 * history.length} messages with ${tools} tools`,
    history,
    maxTurns: count + 1,
  },
  toolResults: count,
});

export const textTokens = 5_000;
export const tokenText = "token ";
/** How the model's server cuts its answer: a read of the socket costs more than a token. */
export const packetSizes = ["20 a write", "singly", "one a turn", "1 ms apart"] as const;
export type PacketSize = (typeof packetSizes)[number];

const tokens = (size: PacketSize): Row => ({
  title: `${textTokens.toLocaleString("en")} tokens, ${size}`,
  task: { question: `tokens ${textTokens} ${size}`, history: [], maxTurns: 1 },
  toolResults: 0,
});
export const parallelCalls = 8;
export const sleepMs = 100;
export const fewTools = 2;
export const manyTools = 500;
export const loopsAtOnce = 100;
const messages = 1_000;

const longAgo = Array.from({ length: messages / 2 }, (_, index) => ({
  user: `Question ${index}: ${"what was said about the harbour in the third report? ".repeat(3)}`,
  model: `Answer ${index}: ${"the third report names the harbour twice, each time beside the old mill. ".repeat(4)}`,
}));

/** Measured in CPU time of one conversation. */
export const cpuRows = {
  turns: { title: "10 tool turns", ...turns(10) },
  history: {
    title: `${messages.toLocaleString("en")} messages of history`,
    ...turns(2, { history: longAgo }),
  },
  tools: { title: `${manyTools} tools`, ...turns(2, { tools: manyTools }), many: true },
  long: { title: "100 turns", ...turns(100) },
  "20 a write": tokens("20 a write"),
  singly: tokens("singly"),
  "one a turn": tokens("one a turn"),
  "1 ms apart": tokens("1 ms apart"),
} as const satisfies Record<string, Row>;
export type CpuRow = keyof typeof cpuRows;

/** Measured by the clock: the calls of one turn that wait 100 ms each. */
export const parallelRow: Row = {
  title: `${parallelCalls} × sleep(${sleepMs})`,
  task: { question: `parallel ${parallelCalls}`, history: [], maxTurns: 2 },
  toolResults: parallelCalls,
};

/** One of the loops that run at once. */
export const crowdRow: Row = { title: `${loopsAtOnce} loops at once`, ...turns(5) };
