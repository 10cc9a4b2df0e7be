import type { StepRecord } from "@/lib/protocol/chunk";
import type { LoopView, RunView } from "./run-view";

/** A part of a workflow's answer, by the paths of its agents. */
export type Chapter = AgentChapter | GroupChapter | RoundsChapter;

/** What one agent has written. */
export interface AgentChapter {
  kind: "agent";
  path: string;
  name: string;
  loops: LoopView[];
}

export interface GroupChapter {
  kind: "group";
  path: string;
  name: string;
  chapters: Chapter[];
}

/** A loop of a workflow, round by round, and how it ended. */
export interface RoundsChapter {
  kind: "rounds";
  path: string;
  name: string;
  rounds: { number: number; chapters: Chapter[] }[];
  end: StepRecord | undefined;
}

/** The chapters of an answer, in the order in which they began; undefined for one that no workflow wrote. */
export function chaptersOf({ loops, steps }: Pick<RunView, "loops" | "steps">): Chapter[] | undefined {
  if (!loops.some(({ agent }) => agent !== undefined)) return undefined;
  const root: Chapter[] = [];
  for (const loop of loops) place(root, "", (loop.agent ?? "").split("/"), loop, steps);
  const [only] = root;
  // The workflow itself is the answer, not a chapter of it.
  return root.length === 1 && only?.kind === "group" ? only.chapters : root;
}

function place(
  chapters: Chapter[],
  before: string,
  [part = "", ...rest]: string[],
  loop: LoopView,
  steps: readonly StepRecord[],
): void {
  const path = before ? `${before}/${part}` : part;
  const [, name = part, round] = /^(.*)\.(\d+)$/.exec(part) ?? [];
  if (round !== undefined) {
    const whole = before ? `${before}/${name}` : name;
    const rounds = take<RoundsChapter>(chapters, {
      kind: "rounds",
      path: whole,
      name,
      rounds: [],
      end: undefined,
    });
    rounds.end = steps.find(({ agent, rounds: count }) => agent === whole && count !== undefined);
    const number = Number(round);
    let own = rounds.rounds.find((one) => one.number === number);
    if (!own) {
      own = { number, chapters: [] };
      rounds.rounds.push(own);
    }
    place(own.chapters, path, rest, loop, steps);
  } else if (rest.length > 0)
    place(
      take<GroupChapter>(chapters, { kind: "group", path, name, chapters: [] }).chapters,
      path,
      rest,
      loop,
      steps,
    );
  else take<AgentChapter>(chapters, { kind: "agent", path, name, loops: [] }).loops.push(loop);
}

/** The chapter of this kind and path; added if it is not there yet. */
function take<C extends Chapter>(chapters: Chapter[], fresh: C): C {
  const known = chapters.find(({ kind, path }) => kind === fresh.kind && path === fresh.path);
  if (known) return known as C;
  chapters.push(fresh);
  return fresh;
}

/** The last text of an agent: its output. */
export function outputOf(chapter: Chapter | undefined): string {
  if (chapter?.kind !== "agent") return "";
  const texts = chapter.loops.flatMap(({ items }) => items.filter((item) => item.kind === "text"));
  return texts.at(-1)?.text ?? "";
}
