import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** For so long what was typed before is read: it is there already, and only has to be fetched. */
const settleMs = 50;

/**
 * Shows the words and asks until `read` makes something of a line; what was typed before they are shown is no answer. Undefined at
 * the end of the input, and after Ctrl+C, which stops the run as ever.
 */
export async function askPerson(words, question, read) {
  if (!(await dropTyped(process.stdin))) return undefined;
  if (words !== "") console.error(words);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  terminal.once("close", () => closed.abort());
  terminal.once("SIGINT", () => {
    process.emit("SIGINT");
    terminal.close();
  });
  try {
    for (;;) {
      const answer = read((await terminal.question(question, { signal: closed.signal })).trim());
      if (answer !== undefined) return answer;
    }
  } catch (error) {
    if (!closed.signal.aborted) throw error;
    return undefined;
  } finally {
    terminal.close();
  }
}

/** `true`, `false`, or undefined where it says neither. */
export function readYesOrNo(line) {
  const said = line.toLowerCase();
  if (["y", "yes"].includes(said)) return true;
  return ["n", "no"].includes(said) ? false : undefined;
}

/** A terminal does what control characters say, and shows nothing of others: neither may hide what is asked. */
export const visible = (text) =>
  text.replaceAll(/[^\P{C}\n]/gu, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);

/** What a model or a server names could otherwise be read as a line of ours. */
export const inLine = (text) => visible(text).replaceAll("\n", "\\n");

/** False where it was Ctrl+C. The terminal gives single keys from then on, so that half a line goes as well. */
async function dropTyped(stdin) {
  let isStopped = false;
  const drop = (typed) => {
    isStopped ||= typed.includes("\u0003");
  };
  stdin.setRawMode(true);
  stdin.on("data", drop);
  await sleep(settleMs);
  stdin.off("data", drop).pause();
  if (!isStopped) return true;
  stdin.setRawMode(false);
  process.emit("SIGINT");
  return false;
}
