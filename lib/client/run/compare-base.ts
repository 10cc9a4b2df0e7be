import type { ComparedCallItem, ComparedCell, RunComparison } from "@/lib/protocol/run-comparison";

/**
 * What a turn of an answer is compared with: the same turn of the first answer. Words that end an answer are compared with those
 * that end the first one, wherever that was. Null in the first column.
 */
export function baseOf(
  rows: RunComparison["rows"],
  at: number,
  column: number,
  ends: readonly number[],
): ComparedCell | null {
  if (column === 0) return null;
  const same = rows[at]?.cells[0] ?? nothing;
  if (at + 1 !== ends[column]) return same;
  const last = rows[(ends[0] ?? 0) - 1]?.cells[0];
  return { ...same, text: last?.text ?? "" };
}

const nothing: ComparedCell = { text: "", calls: [], usage: { inputTokens: 0, outputTokens: 0 } };

/** A call beside what stands for it in the first answer. */
export interface MatchedCall {
  call: ComparedCallItem;
  /** The same call is in the first answer. */
  isSame: boolean;
  /** The call of the same tool that stands there with other arguments. */
  was?: ComparedCallItem;
}

/**
 * The calls of a turn beside those of the first answer, each of which stands for one: equal ones first, then those of the same tool in their
 * order. `missing` has no counterpart.
 */
export function matchCalls(
  calls: readonly ComparedCallItem[],
  first: readonly ComparedCallItem[],
): { matched: MatchedCall[]; missing: ComparedCallItem[] } {
  const left = [...first];
  const take = (fits: (other: ComparedCallItem) => boolean) => {
    const at = left.findIndex(fits);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const same = calls.map((call) => take((other) => isSameCall(call, other)) !== undefined);
  const matched = calls.map((call, at): MatchedCall => {
    if (same[at]) return { call, isSame: true };
    const was = take(({ name }) => name === call.name);
    return { call, isSame: false, ...(was && { was }) };
  });
  return { matched, missing: left };
}

/** Whether an answer says or does something else in a turn than the first one does. */
export function rowDiffers(rows: RunComparison["rows"], at: number, ends: readonly number[]): boolean {
  const cells = rows[at]?.cells ?? [];
  return cells.some((cell, column) => {
    const base = baseOf(rows, at, column, ends);
    if (column === 0) return false;
    if (cell === null || base === null) return cell !== (cells[0] ?? null);
    return cell.text !== base.text || callsDiffer(cell.calls, base.calls);
  });
}

/** Whether a turn makes a call that the first answer does not make in it, or the other way round. */
export function callsDiffer(calls: readonly ComparedCallItem[], first: readonly ComparedCallItem[]): boolean {
  const { matched, missing } = matchCalls(calls, first);
  return missing.length > 0 || matched.some(({ isSame }) => !isSame);
}

/** The same tool with the same arguments, whatever the order of their names; long ones by their length. */
const isSameCall = (one: ComparedCallItem, other: ComparedCallItem): boolean =>
  one.name === other.name && one.argsLength === other.argsLength && isSameJson(one.args, other.args);

function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) => Object.hasOwn(other, name) && isSameJson(Reflect.get(one, name), Reflect.get(other, name)),
    )
  );
}
