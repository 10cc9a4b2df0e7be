"use client";

import { useTranslations } from "use-intl";
import { rowsOf } from "@/lib/client/call-summary";
import { RowsTable } from "./rows-table";

/** Deeper than this it is folded at first. */
const openDepth = 2;
const maxEntries = 200;
const maxDepth = 30;

/** Any JSON value by its names: leaves beside them, lists of one kind as tables, the rest folds. */
export function JsonTree({ value, depth = 0 }: { value: unknown; depth?: number }) {
  const t = useTranslations("chat.tool");
  if (typeof value !== "object" || value === null) return <Leaf value={value} />;
  const rows = Array.isArray(value) ? rowsOf(value) : undefined;
  if (rows) return <RowsTable rows={rows} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="meta">{Array.isArray(value) ? "[ ]" : "{ }"}</span>;
  if (depth >= maxDepth) return <code>{JSON.stringify(value).slice(0, 200)}</code>;
  return (
    <ul className="json-tree">
      {entries.slice(0, maxEntries).map(([name, inner]) => (
        <li key={name}>
          <Entry name={name} value={inner} depth={depth} />
        </li>
      ))}
      {entries.length > maxEntries && (
        <li className="meta">{t("moreEntries", { count: entries.length - maxEntries })}</li>
      )}
    </ul>
  );
}

function Entry({ name, value, depth }: { name: string; value: unknown; depth: number }) {
  if (typeof value !== "object" || value === null)
    return (
      <span className="json-leaf">
        <b>{name}</b>
        <Leaf value={value} />
      </span>
    );
  const count = Object.keys(value).length;
  return (
    <details open={depth < openDepth}>
      <summary>
        <b>{name}</b> <span className="meta">{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
      </summary>
      <JsonTree value={value} depth={depth + 1} />
    </details>
  );
}

function Leaf({ value }: { value: unknown }) {
  return typeof value === "string" ? <span>{value}</span> : <code>{String(value)}</code>;
}
