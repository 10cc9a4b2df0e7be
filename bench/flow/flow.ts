import type { Check, Report } from "@/bench/support/report";
import { median, quantile, round } from "@/bench/support/stats";
import { SeenTexts } from "@/lib/agent/data-flow/seen-texts";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";

const argumentBytes = 100_000;
const resultBytes = 250_000;
const results = 4;
const warmUps = 500;
const rounds = 60;
const acceptedMs = 1;

/** What it takes to look at the arguments of a call, beside as much of results as is looked at. */
export async function benchFlow(): Promise<Report> {
  const seen = new SeenTexts();
  for (let at = 0; at < results; at++)
    for (const chunk of called(`server-${at}`, prose(resultBytes))) seen.add(chunk);
  const passage = "These words have been returned by a server, and by nobody else.";
  for (const chunk of called("secrets", passage)) seen.add(chunk);
  const reading = readInParts(seen);
  const kinds = {
    prose: prose(argumentBytes),
    "JSON in a string": JSON.stringify({ rows: lines(argumentBytes) }),
    "Base64 of prose": Buffer.from(prose((argumentBytes * 3) / 4)).toString("base64"),
    "bytes in Base64": Buffer.from(noise((argumentBytes * 3) / 4)).toString("base64"),
  };
  const times = Object.entries(kinds).map(([kind, text]) => {
    const half = text.length / 2;
    const args = { text: `${text.slice(0, half)}\n${passage}\n${text.slice(half)}` };
    return {
      kind,
      ...measure(() => seen.findFlows("mail", args).some(({ server }) => server === "secrets")),
    };
  });
  return {
    title: "From one server to another",
    about: `What it takes to look for what the arguments of a call carry from other servers: ${argumentBytes / 1_000} KB of arguments, with one such passage in their middle, beside ${results} results of ${resultBytes / 1_000} KB, which is what is looked at. Medians of ${rounds} calls after ${warmUps}; the first one is what a conversation meets in which nothing like it has been looked at. The results are read once, at the first call after them: ${round(sum(reading))} ms for all ${results}, in ${reading.length} parts, of which the longest takes ${round(Math.max(...reading))} ms; others are answered between them.`,
    tables: [
      {
        head: [`${argumentBytes / 1_000} KB of`, "ms, median", "p95", "the first call"],
        rows: times.map(({ kind, ms, first }) => [
          kind,
          round(median(ms)),
          round(quantile(ms, 0.95)),
          round(first),
        ]),
      },
    ],
    checks: times.map(
      ({ kind, ms }): Check => ({
        what: `a call with ${argumentBytes / 1_000} KB of ${kind}`,
        accepted: `${acceptedMs} ms`,
        measured: `${round(median(ms))} ms`,
        met: median(ms) <= acceptedMs,
      }),
    ),
  };
}

/** How long each part takes, ms. */
function readInParts(seen: SeenTexts): number[] {
  const parts: number[] = [];
  for (let isMore = true; isMore; ) {
    const start = performance.now();
    isMore = seen.readOn("mail");
    parts.push(performance.now() - start);
  }
  return parts;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function measure(find: () => boolean): { ms: number[]; first: number } {
  const ms: number[] = [];
  for (let at = 0; at < warmUps + rounds; at++) {
    const start = performance.now();
    const isFound = find();
    ms.push(performance.now() - start);
    if (!isFound) throw new Error("The passage was not found.");
  }
  return { ms: ms.slice(warmUps), first: ms[0] ?? 0 };
}

let calls = 0;

function called(server: string, text: string): Chunk[] {
  const id = `call-${++calls}` as ToolCallId;
  return [
    {
      type: "tool_call",
      call: { type: "tool_call", id, name: `${server}__read`, server, tool: "read", args: {} },
    },
    { type: "tool_result", result: { id, status: "ok", content: [{ type: "text", text }] }, durationMs: 1 },
  ];
}

/** The same in each run of the benchmark. */
let state = 1;
const random = (below: number): number => {
  state = Math.imul(state, 1_664_525) + 1_013_904_223;
  return (state >>> 8) % below;
};

function prose(length: number): string {
  let text = "";
  while (text.length < length) text += `${word()}${random(12) === 0 ? ".\n" : " "}`;
  return text.slice(0, length);
}

const word = () => Array.from({ length: 2 + random(8) }, () => "etaoinshrdlucmfwyp"[random(18)]).join("");
const lines = (length: number) =>
  Array.from({ length: length / 120 }, () => ({ id: random(1e6), words: prose(80) }));
const noise = (length: number) => Uint8Array.from({ length }, () => random(256));
