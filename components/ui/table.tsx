import type { ReactNode } from "react";

/** Rows of one kind, with rules instead of boxes; numbers stand on the right. */
export function Table({
  columns,
  rows,
  caption,
}: {
  columns: readonly string[];
  rows: readonly (readonly ReactNode[])[];
  caption?: string;
}) {
  const numeric = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === "number"));
  return (
    <div className="table-scroll">
      <table className="grid-table">
        {caption && <caption className="sr-only">{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={column} scope="col" className={numeric[at] ? "num" : undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a result have no identity and never move
            <tr key={index}>
              {columns.map((column, at) => (
                <td key={column} className={numeric[at] ? "num" : undefined}>
                  {row[at]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
