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

/** The same tool with the same arguments, whatever the order of their names; long ones by their length. */
export const isSameCall = (one: ComparedCallItem, other: ComparedCallItem): boolean =>
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
