import type { LoadAnswer, LoadOrder } from "@/bench/server/load-client";
import { cpuMs } from "@/bench/server/process-load";
import type { Question } from "@/bench/server/read-answer";
import type { Child } from "@/bench/support/child";
import { median, quantile, round } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";

const warmUps = 30;
const [turns, inATurn] = [5, 40];
/** Answers of so many tokens, so many at once, in so many rounds of each way. */
const long = { tokens: 2_000, atOnce: 10, rounds: 10, warmUps: 2 };
const wires = ["/api/chat", "/v1/chat/completions"] as const;
const accepted = { moreMs: 3, ratio: 1.3 };

type Wire = (typeof wires)[number];

export interface Wires {
  /** Until the first token, ms. */
  firstMs: Record<Wire, number[]>;
  /** CPU of the application for a run of one token, ms, by turn. */
  runMs: Record<Wire, number[]>;
  /** CPU of the application for a token of a long answer, µs, by round. */
  tokenUs: Record<Wire, number[]>;
}

const empty = (): Record<Wire, number[]> => ({ "/api/chat": [], "/v1/chat/completions": [] });

/** The same model through the wire of the page and through that of programs, in turns, with the same API token. */
export async function raceWires(app: App, token: string, client: Child<string>): Promise<Wires> {
  const figures: Wires = { firstMs: empty(), runMs: empty(), tokenUs: empty() };
  const ask = async (wire: Wire, said: { tokens: number; pace?: string }, size = 1) => {
    const order: LoadOrder = {
      ...{ question: questionTo(app, token, wire, said), size, gapMs: 0, number: 0, of: 1 },
    };
    const { seen, lost } = await client.ask<LoadAnswer>(order);
    if (lost[0] !== undefined) throw new Error(lost[0]);
    return seen;
  };
  console.log("  the wire of OpenAI: first tokens");
  for (let count = 0; count < warmUps; count++) for (const wire of wires) await ask(wire, { tokens: 1 });
  for (let turn = 0; turn < turns; turn++)
    for (const wire of turned(turn)) {
      const before = cpuMs(app.pid);
      for (let count = 0; count < inATurn; count++)
        for (const { firstTokenMs } of await ask(wire, { tokens: 1 }))
          figures.firstMs[wire].push(firstTokenMs);
      figures.runMs[wire].push((cpuMs(app.pid) - before) / inATurn);
    }
  console.log("  the wire of OpenAI: CPU of tokens");
  for (let at = -long.warmUps; at < long.rounds; at++)
    for (const wire of turned(at)) {
      const before = cpuMs(app.pid);
      await ask(wire, { tokens: long.tokens, pace: " 1000 a second" }, long.atOnce);
      const ms = cpuMs(app.pid) - before - long.atOnce * median(figures.runMs[wire]);
      if (at >= 0) figures.tokenUs[wire].push((1_000 * ms) / (long.atOnce * long.tokens));
    }
  return figures;
}

const turned = (by: number): readonly Wire[] => (by % 2 === 0 ? wires : wires.toReversed());

function questionTo(
  { baseUrl }: App,
  token: string,
  wire: Wire,
  { tokens, pace = "" }: { tokens: number; pace?: string },
): Question {
  const model = "openai/test-model";
  const text = `${tokens} tokens${pace}`;
  const body =
    wire === "/api/chat"
      ? { model, message: { text } }
      : { model, stream: true, messages: [{ role: "user", content: text }] };
  return { tokens, url: baseUrl + wire, token, body };
}

export function wiresReport({ firstMs, runMs, tokenUs }: Wires) {
  const above = median(firstMs["/v1/chat/completions"]) - median(firstMs["/api/chat"]);
  const ratio = median(tokenUs["/v1/chat/completions"]) / median(tokenUs["/api/chat"]);
  return {
    about: `\`/v1/chat/completions\` beside \`/api/chat\`: the same question to the same model in new conversations, as events, with the same API token: ${turns * inATurn} of one token each way, one at a time, in turns of ${inATurn}; and ${long.rounds} rounds each way, in turns, of ${long.atOnce} answers at once of ${long.tokens} tokens, 1,000 a second each, of whose CPU that of runs of one token is taken off.`,
    table: {
      head: ["", ...wires],
      rows: [
        ["first token, p50, ms", ...wires.map((wire) => round(median(firstMs[wire])))],
        ["first token, p95, ms", ...wires.map((wire) => round(quantile(firstMs[wire], 0.95)))],
        ["CPU of a run of one token, ms", ...wires.map((wire) => round(median(runMs[wire])))],
        ["CPU of a token, µs", ...wires.map((wire) => round(median(tokenUs[wire])))],
      ],
    },
    checks: [
      {
        what: "first token at /v1 above that of /api/chat, p50",
        ...{
          accepted: `${accepted.moreMs} ms`,
          measured: `${round(above)} ms`,
          met: above <= accepted.moreMs,
        },
      },
      {
        what: "CPU of a token at /v1, to that of /api/chat",
        ...{ accepted: String(accepted.ratio), measured: round(ratio), met: ratio <= accepted.ratio },
      },
    ],
  };
}
