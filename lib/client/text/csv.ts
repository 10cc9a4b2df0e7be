/**
 * Rows as a file for spreadsheets: with the mark by which Excel knows UTF-8. What a spreadsheet would take for a formula gets
 * an apostrophe in front, as whoever wrote the table is not who opens the file; numbers stay numbers.
 */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  `\uFEFF${rows.map((row) => row.map((cell) => quoted(harmless(cell))).join(",")).join("\r\n")}\r\n`;

/** Rows for the clipboard, which spreadsheets paste as cells. */
export const toTsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((cell) => harmless(cell.replace(/[\t\r\n]+/g, " "))).join("\t")).join("\n");

/** The first rows of a CSV file; its columns are apart by what its first line has most of. */
export function readCsv(text: string, maxRows: number): string[][] {
  const [first = ""] = text.split("\n", 1);
  const count = (mark: string) => first.split(mark).length;
  const mark = [",", ";", "\t"].reduce((best, next) => (count(next) > count(best) ? next : best));
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${mark}\\r\\n]*))(${mark}|\\r?\\n|\\r|$)`, "y");
  const body = text.replace(/^\uFEFF/, "").trimEnd();
  while (cell.lastIndex < body.length && rows.length < maxRows) {
    const found = cell.exec(body);
    // A quote in the middle of a cell: what is left is not read.
    if (!found) break;
    const [, quotedText, plainText, end] = found;
    row.push(quotedText?.replaceAll('""', '"') ?? plainText ?? "");
    if (end === mark) continue;
    rows.push(row);
    row = [];
  }
  return row.length > 0 ? [...rows, row] : rows;
}

/** What a cell says as a number, with separators, a currency or a percent sign; undefined for words. */
export function numberOf(cell: string): number | undefined {
  const [, sign, digits = ""] = number.exec(cell.normalize("NFKC").trim()) ?? [];
  if (digits === "") return undefined;
  return Number(digits.replaceAll(/[, ]/g, "")) * (sign ? -1 : 1);
}

/** The places of the rows in order of one column; empty cells come last both ways, numbers as numbers. */
export function sortRows(
  rows: readonly (readonly string[])[],
  column: number,
  direction: 1 | -1,
  locale: string,
): number[] {
  const collator = new Intl.Collator(locale, { numeric: true });
  const cells = rows.map((row) => (row[column] ?? "").trim());
  const numbers = isNumeric(rows, column) ? cells.map(numberOf) : undefined;
  const compare = (a: number, b: number) =>
    numbers ? (numbers[a] ?? 0) - (numbers[b] ?? 0) : collator.compare(cells[a] ?? "", cells[b] ?? "");
  return rows
    .map((_, at) => at)
    .sort((a, b) => {
      const empty = Number(cells[a] === "") - Number(cells[b] === "");
      return empty || compare(a, b) * direction;
    });
}

export function isNumeric(rows: readonly (readonly string[])[], column: number): boolean {
  const cells = rows.map((row) => (row[column] ?? "").trim()).filter((cell) => cell !== "");
  return cells.length > 0 && cells.every((cell) => numberOf(cell) !== undefined);
}

const harmless = (cell: string): string =>
  /^[=+\-@\t\r]/.test(cell) && numberOf(cell) === undefined ? `'${cell}` : cell;

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const number = /^([-−])?\+?[$€£¥]? ?(\d+(?:[, ]\d{3})*(?:\.\d+)?) ?(?:%|円)?$/;
