"use client";

import { useTranslations } from "use-intl";
import { rowsOf } from "@/lib/client/run/call-summary";
import { RowsTable } from "./rows-table";

/** Deeper than this it is folded at first. */
const openDepth = 2;
const maxEntries = 200;
const maxDepth = 30;

/** Any JSON value by its names: single values first, one a line; below them lists of one kind as tables, and the rest folds. */
export function JsonTree({ value, depth = 0 }: { value: unknown; depth?: number }) {
  const t = useTranslations("chat.tool");
  // Further down the name of the only list would be lost.
  const rows = depth === 0 || Array.isArray(value) ? rowsOf(value) : undefined;
  if (rows) return <RowsTable rows={rows} />;
  if (!holdsMore(value)) return <Leaf value={value} />;
  if (depth >= maxDepth) return <code>{JSON.stringify(value).slice(0, 200)}</code>;
  const entries = Object.entries(value);
  const shown = entries.slice(0, maxEntries);
  const leaves = shown.filter(([, inner]) => !holdsMore(inner));
  return (
    <div className="json-tree">
      {leaves.length > 0 && (
        <dl className="pairs">
          {leaves.map(([name, leaf]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Leaf value={leaf} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {shown.map(
        ([name, inner]) => holdsMore(inner) && <Branch key={name} name={name} value={inner} depth={depth} />,
      )}
      {entries.length > maxEntries && (
        <p className="meta">{t("moreEntries", { count: entries.length - maxEntries })}</p>
      )}
    </div>
  );
}

function Branch({ name, value, depth }: { name: string; value: object; depth: number }) {
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
  if (typeof value === "string" || typeof value === "number") return value;
  return <code>{JSON.stringify(value)}</code>;
}

const holdsMore = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;
