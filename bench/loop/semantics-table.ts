import type { Table } from "@/bench/support/report";
import type { ContestantName } from "./contestant";
import type { Called } from "./mcp-tools";
import type { Asked } from "./model-server";
import { type Question, questions, type Seen } from "./semantics";
import { type Servers, startContestant } from "./start-all";

/** What can be known of a run from outside: what its caller saw, what the model was asked, what the server was. */
interface Observed extends Seen {
  model: Asked;
  server: Called;
}

/**
 * Asks each contestant each question, over HTTP, and says what it did. Run, not read. `wrong`: the questions to which
 * ours did something else than it should.
 */
export async function askAll(
  names: readonly ContestantName[],
  servers: Servers,
): Promise<{ table: Table; wrong: Question[] }> {
  const asked = Object.keys(questions) as Question[];
  const answers = new Map<ContestantName, string[]>();
  for (const name of names) {
    console.log(`  asking ${name}`);
    const child = await startContestant(name, servers, "http");
    const cells: string[] = [];
    for (const question of asked) {
      await Promise.all([servers.model.ask({}), servers.mcp.ask({})]); // forgets what was before
      const seen = await child.ask<Seen>({ do: "ask", question });
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      const model = await servers.model.ask<Asked>({});
      const server = await servers.mcp.ask<Called>({});
      cells.push(say[question]({ ...seen, model, server }));
    }
    answers.set(name, cells);
    await child.end();
  }
  const ours = answers.get("ours") ?? [];
  const wrong = asked.filter((question, row) => !oursShould[question].test(ours[row] ?? ""));
  const table = {
    head: ["", ...names],
    rows: asked.map((question, row) => [
      questions[question].title,
      ...names.map((name) => answers.get(name)?.[row] ?? ""),
    ]),
  };
  return { table, wrong };
}

const oursShould: Record<Question, RegExp> = {
  limit: /^3 calls; says max_iterations$/,
  length: /^text kept; says max_tokens$/,
  invalid: /^model reads “Not run: /,
  malformed: /^model reads “Not run: /,
  unknown: /^model reads “There is no tool no_such_tool\./,
  cancel: /^\d\d? ms, server told; says aborted$/,
  pending: /^calls the tool, goes on$/,
  approval: /^waits; then 1 call$/,
};

/** Until a cancellation has reached the server. */
const settleMs = 100;

const say: Record<Question, (observed: Observed) => string> = {
  limit: (observed) => `${observed.server.calls} calls; ${ending(observed)}`,
  length: (observed) =>
    observed.error
      ? ending(observed)
      : `text ${observed.outcome?.text ? "kept" : "lost"}; ${ending(observed)}`,
  invalid: readBack,
  malformed: readBack,
  unknown: readBack,
  cancel: (observed) =>
    `${observed.ms} ms, server ${observed.server.cancelled > 0 ? "told" : "not told"}; ${ending(observed)}`,
  pending: ({ server, model, error }) => {
    if (server.calls > 0) return "calls the tool, goes on";
    return error ? `throws ${nameOf(error)}` : `asks the model ${model.requests} × without the result`;
  },
  approval: ({ none, asked, server, error }) => {
    if (none) return "none";
    if (error) return `throws ${nameOf(error)}`;
    return `${asked?.toolResults === 0 ? "waits" : "does not wait"}; then ${server.calls} call`;
  },
};

function readBack(observed: Observed): string {
  const { error, model, server } = observed;
  if (error) return ending(observed);
  const called = server.calls > 0 ? "server called; " : "";
  const [told = ""] = model.toolResults;
  return `${called}model reads “${short(told)}”`;
}

const ending = ({ error, outcome }: Observed) =>
  error ? `throws ${nameOf(error)}` : outcome?.ended ? `says ${outcome.ended}` : "says nothing";

const nameOf = (error: string) => error.split(":", 1)[0] ?? error;

const maxShown = 110;
const short = (text: string) => {
  const line = text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
};
