import type { StepRecord } from "@/lib/protocol/chunk";
import type { LoopView, RunView } from "./run-view";

/** A part of a workflow's answer, by the paths of its agents. */
export type Chapter<Loop = LoopView> = AgentChapter<Loop> | GroupChapter<Loop> | RoundsChapter<Loop>;

/** What one agent has written. */
export interface AgentChapter<Loop = LoopView> {
  kind: "agent";
  path: string;
  name: string;
  loops: Loop[];
}

export interface GroupChapter<Loop = LoopView> {
  kind: "group";
  path: string;
  name: string;
  chapters: Chapter<Loop>[];
}

/** A loop of a workflow, round by round, and how it ended. */
export interface RoundsChapter<Loop = LoopView> {
  kind: "rounds";
  path: string;
  name: string;
  rounds: { number: number; chapters: Chapter<Loop>[] }[];
  end: StepRecord | undefined;
}

/** The chapters of an answer, in the order in which they began; undefined for one that no workflow wrote. */
export function chaptersOf<Loop extends { agent?: string }>({
  loops,
  steps,
}: Pick<RunView, "steps"> & { loops: readonly Loop[] }): Chapter<Loop>[] | undefined {
  if (!loops.some(({ agent }) => agent !== undefined)) return undefined;
  const root: Chapter<Loop>[] = [];
  for (const loop of loops) place(root, "", (loop.agent ?? "").split("/"), loop, steps);
  const [only] = root;
  // The workflow itself is the answer, not a chapter of it.
  return root.length === 1 && only?.kind === "group" ? only.chapters : root;
}

function place<Loop>(
  chapters: Chapter<Loop>[],
  before: string,
  [part = "", ...rest]: string[],
  loop: Loop,
  steps: readonly StepRecord[],
): void {
  const path = before ? `${before}/${part}` : part;
  const [, name = part, round] = /^(.*)\.(\d+)$/.exec(part) ?? [];
  if (round !== undefined) {
    const whole = before ? `${before}/${name}` : name;
    const rounds = take<Loop, RoundsChapter<Loop>>(chapters, {
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
      take<Loop, GroupChapter<Loop>>(chapters, { kind: "group", path, name, chapters: [] }).chapters,
      path,
      rest,
      loop,
      steps,
    );
  else take<Loop, AgentChapter<Loop>>(chapters, { kind: "agent", path, name, loops: [] }).loops.push(loop);
}

/** The chapter of this kind and path; added if it is not there yet. */
function take<Loop, C extends Chapter<Loop>>(chapters: Chapter<Loop>[], fresh: C): C {
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
