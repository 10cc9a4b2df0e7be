import type { RunComparison } from "@/lib/protocol/run-comparison";
import type { ComparedTurn } from "@/lib/protocol/turns-of-log";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunRow } from "@/lib/store/types";
import { type ComparedAnswer, readCompared } from "./read-compared";
import { findRun } from "./run-item";

const maxTurns = 200;
/** Characters of one text, of the arguments of one call, and of all that is told. */
const maxText = 20_000;
const maxArgs = 4_000;
const maxTold = 2_000_000;
/** Of one turn. */
const maxCalls = 100;

/** Answers beside each other, turn by turn. Each id stands for the whole answer that its run is of. */
export async function compareRuns(
  deps: RunDeps,
  userId: string,
  ids: readonly string[],
): Promise<RunComparison> {
  const rows: RunRow[] = [];
  for (const id of ids) rows.push(await findRun(deps, userId, id));
  const answers: ComparedAnswer[] = [];
  for (const row of rows) answers.push(await readCompared(deps, row));
  const firsts = new Set(answers.map(({ first }) => first));
  if (firsts.size < answers.length)
    throw new HttpError(
      400,
      "invalid_input",
      "ids: two of these runs are of the same answer; name each once.",
    );
  const room = { left: maxTold };
  const most = Math.max(...answers.map(({ turns }) => turns.length));
  return {
    runs: answers.map(({ told }) => told),
    rows: Array.from({ length: Math.min(most, maxTurns) }, (_, at) => ({
      turn: at + 1,
      cells: answers.map(({ turns }) => (turns[at] ? toCell(turns[at], room) : null)),
    })),
    omitted: Math.max(0, most - maxTurns),
  };
}

type Cell = NonNullable<RunComparison["rows"][number]["cells"][number]>;

function toCell({ text, calls, usage }: ComparedTurn, room: { left: number }): Cell {
  const take = (written: string, most: number): string => {
    const taken = written.slice(0, Math.min(most, room.left));
    room.left -= taken.length;
    return taken;
  };
  const shown = take(text, maxText);
  return {
    text: shown,
    ...(shown.length < text.length && { textLength: text.length }),
    calls: calls.slice(0, maxCalls).map(({ args, ...call }) => {
      const written = JSON.stringify(args);
      const isWhole = written.length <= maxArgs && take(written, maxArgs).length === written.length;
      return isWhole ? { ...call, args } : { ...call, args: {}, argsLength: written.length };
    }),
    usage,
  };
}
