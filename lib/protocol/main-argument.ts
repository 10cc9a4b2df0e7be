/** The argument that people look for first, else the first that is not empty; undefined where all are. */
export function mainEntry(args: Record<string, unknown>): [name: string, value: unknown] | undefined {
  const entries = filledEntries(args);
  return telling.flatMap((name) => entries.filter(([key]) => key.toLowerCase() === name))[0] ?? entries[0];
}

export const filledEntries = (args: Record<string, unknown>): [name: string, value: unknown][] =>
  Object.entries(args).filter(([, value]) => value !== null && value !== "" && value !== undefined);

/** Usual names for the subject of a call, most telling first. */
const telling = [
  "path",
  "query",
  "sql",
  "q",
  "url",
  "uri",
  "command",
  "thought",
  "text",
  "message",
  "name",
  "title",
  "id",
];
