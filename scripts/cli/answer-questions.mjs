import { createInterface } from "node:readline/promises";
import { SetupError } from "../setup-error.mjs";
import { expectOk, postJson } from "./instance.mjs";

/** Characters of the arguments that are shown; the page shows them all. */
const mostShown = 4_000;

/**
 * Asks the person at the terminal about the calls that a run waits with, and answers them. Gives the id of the run that goes on;
 * undefined where something else is asked, which only the page can, or where nobody says yes or no (Ctrl+D).
 */
export async function answerQuestions(instance, run, address) {
  const { pending } = await (await expectOk(await instance.call(`/api/runs/${run}`))).json();
  if (pending.length === 0 || !pending.every(isAboutCall)) return undefined;
  let next;
  for (const question of pending) {
    console.error(inWords(question, address));
    const isAllowed = await askYesOrNo("Run it? [y/n] ");
    if (isAllowed === undefined) return undefined;
    const given = { requestId: question.requestId, decision: isAllowed ? "approve" : "deny" };
    // Null while other questions are open.
    next = (await (await postJson(instance, `/api/runs/${run}/answer`, given)).json()).runId;
  }
  if (next === null) throw new SetupError(`It waits for something else: look at ${address}.`);
  return next;
}

/** Plans, changed definitions and unknown outcomes have other answers than yes and no, or more to be looked at. */
const isAboutCall = ({ type, reason }) =>
  type === "approval_request" && ["rule", "data_flow", "tape"].includes(reason);

function inWords({ call, flows = [] }, address) {
  const args = JSON.stringify(call.args, null, 2);
  const shown = args.length > mostShown ? `${args.slice(0, mostShown)}\n… the rest is at ${address}` : args;
  const why = flows.map(({ server, tool, argument }) =>
    inLine(`${argument} carries what ${tool} of ${server} has returned.`),
  );
  return [inLine(`It wants to call ${call.name}:`), visible(shown), ...why].join("\n");
}

/** A terminal does what control characters say, and shows nothing of others: neither may hide what is called. */
export const visible = (text) =>
  text.replaceAll(/[^\P{C}\n]/gu, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);

/** What a model or a server names could otherwise be read as a line of ours. */
export const inLine = (text) => visible(text).replaceAll("\n", "\\n");

/** Undefined at the end of the input, and after Ctrl+C, which stops the run as ever. */
async function askYesOrNo(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  terminal.once("close", () => closed.abort());
  terminal.once("SIGINT", () => {
    process.emit("SIGINT");
    terminal.close();
  });
  try {
    for (;;) {
      const said = (await terminal.question(question, { signal: closed.signal })).trim().toLowerCase();
      if (["y", "yes"].includes(said)) return true;
      if (["n", "no"].includes(said)) return false;
    }
  } catch (error) {
    if (!closed.signal.aborted) throw error;
    return undefined;
  } finally {
    terminal.close();
  }
}
