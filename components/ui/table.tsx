import type { ReactNode } from "react";
import { cn } from "./cn";

export interface TableProps {
  columns: readonly string[];
  rows: readonly (readonly ReactNode[])[];
  caption?: string;
  /** How a number is written, by the name of its column. */
  showNumber?: (value: number, column: string) => string;
}

/** Longer texts of a cell take several lines; anything else stays on one, and the table scrolls. */
const longestLine = 60;

/** Rows of one kind, with rules instead of boxes; numbers stand on the right. */
export function Table({ columns, rows, caption, showNumber = String }: TableProps) {
  const numeric = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === "number"));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <div className="more-beside max-w-full overflow-x-auto [scrollbar-width:thin]" tabIndex={0}>
      <table className="mt-1 w-full border-spacing-0 text-mach">
        {caption && <caption className="sr-only">{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th
                key={column}
                scope="col"
                className={cn(
                  cellLook,
                  "text-micro font-normal whitespace-nowrap text-ink-3",
                  numeric[at] ? "text-right" : "text-left",
                )}
              >
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
                <Cell key={column} isNumeric={numeric[at]}>
                  {typeof row[at] === "number" ? showNumber(row[at], column) : row[at]}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const cellLook = "pr-6 rule-b last:pr-0 phone:pr-3";

function Cell({ isNumeric, children }: { isNumeric: boolean | undefined; children: ReactNode }) {
  const isLong = typeof children === "string" && children.length > longestLine;
  return (
    <td
      className={cn(
        cellLook,
        "py-0.5 align-top",
        isNumeric && "text-right",
        isLong ? "min-w-60 wrap-anywhere" : "whitespace-nowrap",
      )}
    >
      {children}
    </td>
  );
}
