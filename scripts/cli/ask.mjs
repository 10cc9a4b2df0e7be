import { EventSourceParserStream } from "eventsource-parser/stream";
import { SetupError } from "../setup-error.mjs";
import { answerQuestions } from "./answer-questions.mjs";
import { expectOk, postJson, serversReady, withInstance } from "./instance.mjs";
import { inLine, visible } from "./terminal.mjs";

/** Characters of a question with what is piped in, as the server takes them. */
const most = 1_000_000;
/** Exit codes beside 0 (answered) and 1 (it failed): an answer that waits for a person, and one that was stopped. */
const waits = 3;
const stopped = 130;

/**
 * Asks a question and prints the answer while it is written: its words, or with `--json` its chunks, one a line. Calls that need a
 * yes are asked about at a terminal.
 */
export async function ask(call) {
  const text = await readQuestion(call.rest);
  const { model, assistant, conversation, json } = call.values;
  // Before anything is piped into a program that reads words.
  const isAsking = !json && process.stdin.isTTY && process.stderr.isTTY;
  process.exitCode = await withInstance(call, async (instance) => {
    await serversReady(instance);
    const message = {
      message: { text },
      ...(model && { model }),
      ...(assistant !== undefined && { assistant: await findAssistant(instance, assistant) }),
      ...(conversation && { conversationId: conversation }),
    };
    let response = await postJson(instance, "/api/chat", message);
    let run = response.headers.get("x-run-id");
    for (;;) {
      const signals = stopOnSignal(instance, run);
      try {
        const ended = await print(response, json ? writeJson : writeText);
        const address = `${instance.origin}/c/${ended.conversation}`;
        const next =
          ended.status === "waiting" && isAsking ? await answerQuestions(instance, run, address) : undefined;
        if (next === undefined) return (await signals.stopping()) ? stopped : endOf(ended, address);
        run = next;
      } finally {
        signals.leave();
      }
      response = await expectOk(await instance.call(`/api/runs/${run}/stream`));
    }
  });
}

/** The id of an assistant that is named by it, or by its name in any case. */
async function findAssistant(instance, named) {
  const { items } = await (await expectOk(await instance.call("/api/assistants?limit=200"))).json();
  const name = named.trim().toLowerCase();
  const found =
    items.find(({ id }) => id === named) ?? items.find((each) => each.name.toLowerCase() === name);
  if (found) return found.id;
  const known = items.map((each) => each.name).join(", ");
  throw new SetupError(`There is no assistant "${named}"; there ${known ? `are: ${known}` : "are none"}.`);
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
  let stopping;
  const stop = () => {
    leave();
    const told = postJson(instance, `/api/runs/${run}/stop`, {});
    stopping = told.catch((error) => {
      console.error(error.message);
      process.exit(stopped);
    });
  };
  const leave = () => process.off("SIGINT", stop).off("SIGTERM", stop);
  process.on("SIGINT", stop).on("SIGTERM", stop);
  // `stopping` resolves when Meguri has heard of it; undefined where nobody has stopped it.
  return { leave, stopping: () => stopping };
}

/** Resolves when the answer has ended, or waits. */
async function print(response, write) {
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
    if (event === "end") return { status: value.status, result, conversation };
  }
  throw new SetupError(
    "The connection broke before the answer had ended: it goes on in Meguri, and stands there.",
  );
}

/** Returns the exit code. */
function endOf({ status, result }, address) {
  switch (status) {
    case "completed":
      return 0;
    case "waiting":
      console.error(`It waits for you: answer at ${address}.`);
      return waits;
    case "stopped":
      return stopped;
    default:
      console.error(visible(result?.error?.message ?? `The answer ended as "${status}".`));
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
  if (chunk.type === "tool_call" && process.stderr.isTTY) console.error(`· ${inLine(chunk.call.name)}`);
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
