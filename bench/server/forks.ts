import { median } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";

const warmUps = 10;
export const forksMeasured = 50;

export interface Forks {
  /** From the request to the first token, ms. */
  message: number[];
  /** The same of a fork, whose answer is a second request. */
  fork: number[];
}

/** First tokens of a chat message in a new conversation, and of a fork after a round of calls, each in turn. */
export async function raceForks(app: App): Promise<Forks> {
  const { runId, afterSeq } = await askWithCall(app);
  const message = () =>
    firstToken(app, "/api/chat", { model: "openai/test-model", message: { text: "1 tokens" } });
  const fork = async () => {
    const start = performance.now();
    const made = await post(app, `/api/runs/${runId}/fork`, { afterSeq });
    const { runId: forked } = (await made.json()) as { runId: string };
    return performance.now() - start + (await firstToken(app, `/api/runs/${forked}/stream`));
  };
  for (let count = 0; count < warmUps; count++) {
    await message();
    await fork();
  }
  const times: Forks = { message: [], fork: [] };
  for (let count = 0; count < forksMeasured; count++) {
    times.message.push(await message());
    times.fork.push(await fork());
  }
  return times;
}

const call = "Please call memory__read_graph, then 1 tokens";

/** A run with a call, and the event at which its round of calls has ended. */
async function askWithCall(app: App): Promise<{ runId: string; afterSeq: number }> {
  const asked = await post(app, "/api/chat", { model: "openai/test-model", message: { text: call } });
  const stream = await asked.text();
  const [, runId = ""] = /"runId":"([^"]+)"/.exec(stream) ?? [];
  const events = (await (await app.fetch(`/api/runs/${runId}/events`)).text()).trim().split("\n");
  const afterSeq = 1 + events.findIndex((line) => line.includes('"tool_result"'));
  if (afterSeq === 0) throw new Error(`No tool was called: ${stream}`);
  return { runId, afterSeq };
}

/** Of the medians, ms. */
export const aboveMessage = ({ message, fork }: Forks): number => median(fork) - median(message);

const post = (app: App, path: string, body: object) =>
  app.fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream, application/json" },
    body: JSON.stringify(body),
  });

/** Reads the answer to its end, so that the next one begins on a server at rest. */
async function firstToken(app: App, path: string, body?: object): Promise<number> {
  const start = performance.now();
  const response = await (body ? post(app, path, body) : app.fetch(path));
  let first = Number.NaN;
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    // Each token of this model begins so.
    if (Number.isNaN(first) && text.includes("@")) first = performance.now() - start;
  }
  if (Number.isNaN(first)) throw new Error(`${path} answered ${response.status} without a token.`);
  return first;
}
