"use client";

import {
  cloneElement,
  createContext,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
} from "react";
import { type HeadCell, TableFrame } from "./table-frame";

type Element = ReactElement<{ children?: ReactNode }>;

/** Whether the block is being written. */
export const Growing = createContext(false);

/** A table of an answer. While it grows its rows are drawn as they come, and nothing looks at all of them. */
export function DataTable({ children }: { children?: ReactNode; node?: unknown }) {
  if (useContext(Growing))
    return (
      <div data-frame="" className="more-beside max-w-full overflow-x-auto [scrollbar-width:thin]">
        <table>{children}</table>
      </div>
    );
  return <WholeTable>{children}</WholeTable>;
}

function WholeTable({ children }: { children: ReactNode }) {
  const { heads, body, rows, texts } = useMemo(() => readTable(children), [children]);
  return (
    <TableFrame
      heads={heads}
      texts={texts}
      step={Number.POSITIVE_INFINITY}
      draw={(order) =>
        order && body
          ? cloneElement(
              body,
              {},
              order.map((at) => rows[at] && cloneElement(rows[at], { key: at })),
            )
          : body
      }
    />
  );
}

function readTable(children: ReactNode) {
  const parts = elementsOf(children);
  const head = parts.find(({ type }) => type === "thead");
  const body = parts.find(({ type }) => type === "tbody") ?? null;
  const rows = elementsOf(body?.props.children);
  const heads = elementsOf(elementsOf(head?.props.children)[0]?.props.children);
  return {
    ...{ body, rows },
    heads: heads.map((cell) => ({ text: wordsOf(cell), cell: cell as HeadCell })),
    texts: rows.map((row) => elementsOf(row.props.children).map(wordsOf)),
  };
}

/** The elements among these nodes, also those that are put together without one of their own. */
function elementsOf(node: ReactNode): Element[] {
  if (Array.isArray(node)) return node.flatMap(elementsOf);
  if (!isValidElement<{ children?: ReactNode }>(node)) return [];
  return typeof node.type === "symbol" ? elementsOf(node.props.children) : [node];
}

function wordsOf(node: ReactNode): string {
  if (typeof node === "string" || typeof node === "number") return String(node);
  if (Array.isArray(node)) return node.map(wordsOf).join("");
  return isValidElement<{ children?: ReactNode }>(node) ? wordsOf(node.props.children) : "";
}
