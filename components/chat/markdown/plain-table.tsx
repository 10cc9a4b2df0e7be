"use client";

import { useMemo } from "react";
import { TableFrame } from "./table-frame";

/** Cells that are added to the page at once. */
const maxCells = 5_000;

/** A table that is too large for Markdown: its cells are what is written in them, a part of its rows is on the page at a time. */
export function PlainTable({ text }: { text: string }) {
  const { heads, texts } = useMemo(() => readRows(text), [text]);
  return (
    <TableFrame
      heads={heads}
      texts={texts}
      step={Math.max(10, Math.floor(maxCells / heads.length))}
      draw={(order, shown) => (
        <tbody>
          {Array.from({ length: Math.min(shown, texts.length) }, (_, at) => order?.[at] ?? at).map((at) => (
            <tr key={at}>
              {heads.map((_, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity but their place
                <td key={column}>{texts[at]?.[column]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      )}
    />
  );
}

function readRows(text: string) {
  const [head = "", , ...lines] = text.trimEnd().split("\n");
  return {
    heads: cellsOf(head).map((cell) => ({ text: cell, cell: <th scope="col">{cell}</th> })),
    texts: lines.filter((line) => line.trim() !== "").map(cellsOf),
  };
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
