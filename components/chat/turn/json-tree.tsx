"use client";

import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { withBlocks } from "@/components/ui/redacted";
import { rowsOf } from "@/lib/client/run/call-summary";
import { beginningOf } from "@/lib/protocol/redacted-text";
import { Pairs } from "./pairs";
import { RowsTable } from "./rows-table";
import { useShownNumber } from "./use-shown-number";

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
  if (depth >= maxDepth) return <code>{withBlocks(beginningOf(JSON.stringify(value), 200))}</code>;
  const entries = Object.entries(value);
  const shown = entries.slice(0, maxEntries);
  const leaves = shown.filter(([, inner]) => !holdsMore(inner));
  return (
    <div className={cn("leading-6", depth > 0 && "pl-4 shadow-[inset_1px_0_0_var(--rule)]")}>
      {leaves.length > 0 && (
        <Pairs
          className="leading-6"
          pairs={leaves.map(([name, leaf]) => [name, <Leaf key={name} name={name} value={leaf} />])}
        />
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
    <details open={depth < openDepth} className="group/branch">
      <summary className="flex list-none items-center gap-1.5 text-ink-3 [&::-webkit-details-marker]:hidden">
        <Icon name="chevronRight" size={12} className="group-open/branch:rotate-90" />
        <span>{name}</span> <span className="meta">{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
      </summary>
      <JsonTree value={value} depth={depth + 1} />
    </details>
  );
}

function Leaf({ name = "", value }: { name?: string; value: unknown }) {
  const show = useShownNumber();
  if (typeof value === "number") return show(value, name);
  if (typeof value === "string") return withBlocks(value);
  return <code>{JSON.stringify(value)}</code>;
}

const holdsMore = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;
