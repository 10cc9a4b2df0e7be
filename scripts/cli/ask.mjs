import { EventSourceParserStream } from "eventsource-parser/stream";
import { SetupError } from "../setup-error.mjs";
import { expectOk, serversReady, withInstance } from "./instance.mjs";

/** Characters of a question with what is piped in, as the server takes them. */
const most = 1_000_000;
/** Exit codes beside 0 (answered) and 1 (it failed): an answer that waits for a person, and one that was stopped. */
const waits = 3;
const stopped = 130;

/** Asks a question and prints the answer while it is written: its words, or with `--json` its chunks, one a line. */
export async function ask(call) {
  const text = await readQuestion(call.rest);
  const { model, conversation, json } = call.values;
  const message = {
    message: { text },
    ...(model && { model }),
    ...(conversation && { conversationId: conversation }),
  };
  process.exitCode = await withInstance(call, async (instance) => {
    await serversReady(instance);
    const response = await expectOk(
      await instance.call("/api/chat", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(message),
      }),
    );
    const leave = stopOnSignal(instance, response.headers.get("x-run-id"));
    try {
      return await print(response, instance, json ? writeJson : writeText);
    } finally {
      leave();
    }
  });
}

async function readQuestion(words) {
  const piped = process.stdin.isTTY ? "" : await readInput();
  const text = [words.join(" "), piped.trim()].filter(Boolean).join("\n\n");
  if (text === "") throw new SetupError('Name a question: meguri ask "What is in this folder?"');
  if (text.length > most) throw new SetupError(`The question is longer than ${most} characters: shorten it.`);
  return text;
}

async function readInput() {
  let text = "";
  for await (const piece of process.stdin.setEncoding("utf8")) {
    text += piece;
    if (text.length > most) break;
  }
  return text;
}

/** Ctrl+C stops the answer, which then ends by itself; a second one ends us at once. */
function stopOnSignal(instance, run) {
  const stop = () => {
    leave();
    instance.call(`/api/runs/${run}/stop`, { method: "POST" }).catch(() => process.exit(stopped));
  };
  const leave = () => process.off("SIGINT", stop).off("SIGTERM", stop);
  process.on("SIGINT", stop).on("SIGTERM", stop);
  return leave;
}

/** Returns the exit code. */
async function print(response, { origin }, write) {
  let conversation = "";
  let result;
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of events) {
    const value = JSON.parse(data);
    if (event === "run") conversation = value.conversationId;
    if (event === "result") result = value.result;
    if (event === "chunk" || event === "result") await write(value);
    if (event === "end") return endOf(value.status, result, `${origin}/c/${conversation}`);
  }
  throw new SetupError(
    "The connection broke before the answer had ended: it goes on in Meguri, and stands there.",
  );
}

function endOf(status, result, address) {
  switch (status) {
    case "completed":
      return 0;
    case "waiting":
      console.error(`It waits for you: answer at ${address}.`);
      return waits;
    case "stopped":
      return stopped;
    default:
      console.error(result?.error?.message ?? `The answer ended as "${status}".`);
      return 1;
  }
}

let isInLine = false;

async function writeText(chunk) {
  if (chunk.type === "text" && !chunk.agent) {
    isInLine = !chunk.content.endsWith("\n");
    return write(chunk.content);
  }
  // Between two turns, and at the end.
  if (isInLine && (chunk.type === "tool_call" || chunk.type === "result")) {
    isInLine = false;
    await write("\n");
  }
  if (chunk.type === "tool_call" && process.stderr.isTTY) console.error(`· ${chunk.call.name}`);
}

const writeJson = (chunk) => write(`${JSON.stringify(chunk)}\n`);

/** @returns {Promise<void>} */
function write(text) {
  // A terminal does what control characters say: a model does not get to. As JSON they are escaped.
  const plain = process.stdout.isTTY ? text.replaceAll(/[^\P{Cc}\n\t]/gu, "\uFFFD") : text;
  return new Promise((resolve) => {
    if (process.stdout.write(plain)) resolve();
    else process.stdout.once("drain", resolve);
  });
}
