/** What one part of the benchmarks says. */
export interface Report {
  title: string;
  /** How it is measured, in a few sentences. */
  about: string;
  tables: Table[];
  checks: Check[];
}

export interface Table {
  head: string[];
  rows: string[][];
}

/** An accepted figure and what was measured. */
export interface Check {
  what: string;
  accepted: string;
  measured: string;
  met: boolean;
}

/** As Markdown, below a heading. */
export function writeReport({ title, about, tables, checks }: Report): string {
  const accepted: Table = {
    head: ["accepted", "at most", "measured", ""],
    rows: checks.map(({ what, accepted, measured, met }) => [
      what,
      accepted,
      measured,
      met ? "met" : "**not met**",
    ]),
  };
  return [`## ${title}`, about, ...[accepted, ...tables].map(writeTable)].join("\n\n");
}

function writeTable({ head, rows }: Table): string {
  const widths = head.map((cell, column) =>
    Math.max(3, ...[cell, ...rows.map((row) => row[column] ?? "")].map(({ length }) => length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? "").padEnd(width)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
