import type { Schema } from "./schema-of";

/**
 * What of a change keeps programs from going on that know the tables as they were before: what they read is gone, or what they
 * write is refused. What rows mean it cannot see.
 */
export function findNarrowing(before: Schema, after: Schema): string[] {
  const had = new Set(before.columns.map(({ table }) => table));
  const hadColumn = (table: string, name: string) => columnOf(before, table, name) !== undefined;
  return [
    ...before.columns.flatMap((was) => {
      const what = `${was.table}.${was.name}`;
      const is = columnOf(after, was.table, was.name);
      if (!is) return `${what} is gone`;
      if (is.type !== was.type) return `${what} has another type`;
      if (was.isNullable && !is.isNullable) return `${what} takes no null any more`;
      return is.isAsked && !was.isAsked ? `${what} has no value by itself any more` : [];
    }),
    ...after.columns.flatMap(({ table, name, isAsked }) =>
      had.has(table) && !hadColumn(table, name) && isAsked ? `${table}.${name} has to be written` : [],
    ),
    ...before.uniques.flatMap(({ table, columns }) =>
      has(after.uniques, { table, columns }) ? [] : `${table} (${columns}) is not unique any more`,
    ),
    ...after.uniques.flatMap(({ table, columns }) =>
      !has(before.uniques, { table, columns }) && columns.split(",").every((name) => hadColumn(table, name))
        ? `${table} (${columns}) has to be unique`
        : [],
    ),
    ...after.conditions.flatMap(({ table, text }) =>
      has(before.conditions, { table, text }) || isHarmless(text, (name) => hadColumn(table, name), had)
        ? []
        : `${table}: ${text}`,
    ),
    ...before.programs.flatMap((program) =>
      has(after.programs, program) ? [] : `${program.name} is another one, or gone`,
    ),
  ];
}

const columnOf = (schema: Schema, table: string, name: string) =>
  schema.columns.find((column) => column.table === table && column.name === name);

const has = <Item extends object>(list: readonly Item[], item: Item): boolean =>
  list.some((other) => Object.entries(item).every(([key, value]) => other[key as keyof Item] === value));

/** A reference of what they never write, to rows that they may delete all the same. */
function isHarmless(text: string, hadColumn: (name: string) => boolean, had: ReadonlySet<string>): boolean {
  const [, from, to = ""] = /^FOREIGN KEY \((\w+)\) REFERENCES (\w+)/.exec(text) ?? [];
  if (from === undefined || hadColumn(from)) return false;
  return !had.has(to) || /ON DELETE (CASCADE|SET NULL)/.test(text);
}
