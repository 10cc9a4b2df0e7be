import type { Chunk } from "@/lib/protocol/chunk";
import type { LoopItem, LoopView, ToolView } from "./run-view";
import { beginning } from "./tool-steps";

export const newLoop = (
  number: number,
  startedAt: number | null,
  {
    runId,
    agent,
    copied,
  }: Pick<LoopView, "runId"> & { agent: string | undefined; copied?: true | undefined },
): LoopView => ({
  number,
  runId: runId || null,
  startedAt,
  endedAt: null,
  whole: false,
  items: [],
  ...(agent !== undefined && { agent }),
  ...(copied && { copied }),
});

export const push = (loop: LoopView, item: LoopItem): LoopView => ({ ...loop, items: [...loop.items, item] });

export function appendPiece(
  loop: LoopView,
  piece: { type: "text" | "reasoning"; content: string; format?: "json" },
  now: number | null,
): LoopView {
  const last = loop.items.at(-1);
  if (piece.format) return push(endReasoning(loop, now), { kind: "json", text: piece.content });
  if (last?.kind === piece.type && !(last.kind === "reasoning" && last.done))
    return { ...loop, items: loop.items.with(-1, { ...last, text: last.text + piece.content }) };
  if (piece.type === "text") return push(endReasoning(loop, now), { kind: "text", text: piece.content });
  return push(loop, { kind: "reasoning", text: piece.content, startedAt: now, endedAt: null, done: false });
}

export function endReasoning(loop: LoopView, now: number | null): LoopView {
  const last = loop.items.at(-1);
  if (last?.kind !== "reasoning" || last.done) return loop;
  return { ...loop, items: loop.items.with(-1, { ...last, endedAt: now, done: true }) };
}

/** Whether the model has not begun its turn yet: what it reads first may be told in either order. */
export const isFresh = ({ items, endedAt }: LoopView): boolean =>
  endedAt === null && items.every(({ kind }) => kind === "notice" || kind === "summary");

/** Puts a call where the model has started to write it, or at the end. */
export function putTool(loop: LoopView, tool: ToolView): LoopView {
  const at = loop.items.findLastIndex((item) => item.kind === "tool" && item.id === tool.id);
  return at < 0 ? push(loop, tool) : { ...loop, items: loop.items.with(at, tool) };
}

/** Appends a piece of a call's arguments. */
export function writeInput(
  loop: LoopView,
  piece: Extract<Chunk, { type: "tool_input" }>,
  now: number | null,
): LoopView {
  const known = loop.items.findLast((item) => item.kind === "tool" && item.id === piece.id);
  return known?.kind === "tool"
    ? putTool(loop, { ...known, written: (known.written ?? "") + piece.content })
    : push(endReasoning(loop, now), beginning(piece));
}

/** Without calls that were incomplete when their turn ended or was repeated. */
export function withoutFragments(loop: LoopView): LoopView {
  const isFragment = (item: LoopItem) => item.kind === "tool" && item.written !== undefined;
  return loop.items.some(isFragment)
    ? { ...loop, items: loop.items.filter((item) => !isFragment(item)) }
    : loop;
}

/** Without the calls of a turn that was cut off: they never run and are not in the history. */
export const withoutCalls = (loop: LoopView): LoopView => ({
  ...loop,
  items: loop.items.filter((item) => item.kind !== "tool"),
});

export function close(loop: LoopView, now: number | null): LoopView {
  const ended = endReasoning(loop, now);
  return { ...(ended.whole ? ended : withoutCalls(ended)), endedAt: now };
}
