// Prints the file of a run as text: `npm run replay -- <file>`, or `-` for what is piped in. Plain JavaScript, no dependencies.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const newestVersion = 1;
/** Characters of arguments, of a result and of a question that are printed. */
const most = 2_000;
/** Of a line, beyond what any file has that can be imported. */
const mostLine = 64 * 1024 * 1024;

/** What is wrong with a file, in words. */
export class ReplayError extends Error {}

/** Gives the text of a run, piece by piece, as its lines are read. Throws `ReplayError` where the file is no whole run. */
export async function* replay(lines) {
  let run;
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.length > mostLine) throw new ReplayError(`Line ${number} is too long.`);
    if (!run) {
      const header = toHeader(parse(line, number));
      run = openRun(header);
      yield headOf(header);
    } else if (line !== "") {
      const event = parse(line, number);
      check(run, event, number);
      yield* textOf(run, event);
    }
  }
  if (!run) throw new ReplayError("The file is empty.");
  if (run.seq < run.events)
    throw new ReplayError(`The file ends after event ${run.seq} of ${run.events}; export the run again.`);
  if (!run.isEnded) yield `${run.isInText ? "\n" : ""}\n== not ended when the file was made\n`;
}

function parse(line, number) {
  try {
    return JSON.parse(line);
  } catch {
    throw new ReplayError(
      number === 1
        ? "This is not the file of a run; export one from the page of a run."
        : `Line ${number} is no JSON: the file is damaged or was cut; export the run again.`,
    );
  }
}

function toHeader(header) {
  if (header?.meguri !== "run" || !Array.isArray(header.history) || typeof header.run !== "object")
    throw new ReplayError("This is not the file of a run; export one from the page of a run.");
  if (!(header.version <= newestVersion))
    throw new ReplayError("A newer version of Meguri has written this file; update Meguri to read it.");
  return header;
}

const openRun = ({ run, events }) => ({
  events,
  startedAt: Date.parse(run.startedAt),
  seq: 0,
  isEnded: false,
  isInText: false,
  /** Names of calls by id. */
  calls: new Map(),
});

function check(run, event, number) {
  if (typeof event?.data?.type !== "string" || event.seq !== run.seq + 1)
    throw new ReplayError(`Line ${number}: event ${run.seq + 1} was expected; the file is damaged.`);
  run.seq = event.seq;
}

function headOf({ conversation, run, history, app }) {
  const question = history.find(({ id }) => id === run.messageId)?.message;
  return [
    `== ${plain(conversation?.title || "Run")}`,
    `   ${plain(run.model)} · ${run.startedAt} · Meguri ${plain(app)} · ${history.length} messages before it`,
    "",
    `> ${cut(wordsOf(question?.parts)).replaceAll("\n", "\n> ")}`,
    "",
  ].join("\n");
}

function* textOf(run, { at, data }) {
  const piece = data.type === "text" || data.type === "reasoning" ? data.type : undefined;
  if (piece) {
    if (run.isInText !== piece) yield `\n${piece === "reasoning" ? "(thinks) " : ""}`;
    run.isInText = piece;
    yield plain(String(data.content));
    return;
  }
  const line = lineOf(run, data);
  if (line === undefined) return;
  if (run.isInText) yield "\n";
  run.isInText = false;
  yield `${timeOf(Date.parse(at) - run.startedAt)} ${line}\n`;
}

/** What one event says; nothing for those that only a machine needs. */
function lineOf(run, data) {
  switch (data.type) {
    case "iteration":
      return `-- loop ${data.index}${data.agent ? ` · ${plain(data.agent)}` : ""}`;
    case "tool_call":
      run.calls.set(data.call?.id, data.call?.name);
      return `calls ${plain(data.call?.name)} ${cut(JSON.stringify(data.call?.args))}`;
    case "tool_start":
      return undefined;
    case "tool_result": {
      const { id, status, content } = data.result ?? {};
      return `${status} ${plain(run.calls.get(id) ?? id)} in ${secondsOf(data.durationMs)}: ${cut(wordsOf(content))}`;
    }
    case "approval_request":
      return `asks whether ${plain(data.call?.name)} may run`;
    case "input_request":
      return `${plain(data.server)} asks: ${cut(data.message)}`;
    case "budget_request":
      return `asks what to do, as the limit of ${plain(data.limit)} is reached`;
    case "step_request":
      return `waits before a call of a ${data.kind}`;
    case "answer":
      return `answered: ${cut(JSON.stringify(data.answer))}`;
    case "message":
      return `${data.message?.role === "summary" ? "summary" : "said"}: ${cut(data.message?.text ?? wordsOf(data.message?.parts))}`;
    case "notice":
      return `note: ${cut(data.message)}`;
    case "agent":
      return `${plain(data.name)} ${data.event}`;
    case "usage":
      return data.stopReason ? `${tokensOf(data)}, ${data.stopReason}` : undefined;
    case "result": {
      run.isEnded = true;
      const { stopReason, iterationsUsed, usage = {}, error } = data.result ?? {};
      const why = error ? ` (${plain(error.code)}: ${cut(error.message)})` : "";
      return `== ended: ${stopReason}${why} after ${iterationsUsed} loops, ${tokensOf(usage)}`;
    }
  }
}

const tokensOf = ({ inputTokens = 0, outputTokens = 0, cost }) =>
  `${inputTokens} tokens in, ${outputTokens} out${cost === undefined ? "" : `, $${cost}`}`;

const wordsOf = (parts) =>
  (Array.isArray(parts) ? parts : [])
    .map((part) => part.text ?? `[${part.name ?? part.uri ?? part.mediaType ?? part.type}]`)
    .join("\n");

const secondsOf = (ms) => `${(Number(ms) / 1000).toFixed(2)} s`;
const timeOf = (ms) => `[${(Math.max(0, Number(ms) || 0) / 1000).toFixed(2).padStart(8)} s]`;

const cut = (text) => {
  const whole = plain(String(text ?? ""));
  return whole.length <= most ? whole : `${whole.slice(0, most)} … (${whole.length} characters)`;
};

/** A terminal does what control characters say: a file of somebody else does not get to. */
const plain = (text) =>
  String(text ?? "").replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (letter) =>
    letter === "\n" || letter === "\t" ? letter : "\uFFFD",
  );

async function print(path) {
  if (!path) throw new ReplayError("Name the file of a run, or - for what is piped in.");
  const input = path === "-" ? process.stdin : createReadStream(path);
  const failed = new Promise((_, reject) => input.once("error", reject));
  const write = async () => {
    for await (const text of replay(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })))
      if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  };
  await Promise.race([write(), failed]);
}

/** Prints the file as a program does, and ends the process with 1 where it is no whole run. */
export async function printRun(path) {
  // Who reads has had enough (`| head`).
  process.stdout.on("error", () => process.exit(0));
  await print(path).catch((error) => {
    console.error(error.code === "ENOENT" ? `There is no file ${path}.` : error.message);
    process.exit(1);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await printRun(process.argv[2]);
