"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "@/components/ui/code-block";
import { parsed, rowsOf } from "@/lib/client/call-summary";
import { JsonTree } from "./json-tree";
import { RowsTable } from "./rows-table";

/** An answer that was held to a schema: a table where it is a list of one kind, else a tree; raw on request. */
export function JsonAnswer({ text }: { text: string }) {
  const t = useTranslations("chat.tool");
  const [raw, setRaw] = useState(false);
  const value = parsed(text);
  const rows = rowsOf(value);
  return (
    <div className="ans json-answer">
      {raw || value === undefined ? (
        <CodeBlock language="json">
          <code>{value === undefined ? text : JSON.stringify(value, null, 2)}</code>
        </CodeBlock>
      ) : rows && isOnly(value, rows) ? (
        <RowsTable rows={rows} />
      ) : (
        <JsonTree value={value} />
      )}
      <button type="button" className="call-raw" aria-pressed={raw} onClick={() => setRaw(!raw)}>
        {raw ? t("readable") : t("raw")}
      </button>
    </div>
  );
}

/** A table may stand for the whole only when nothing stands beside its rows. */
const isOnly = (value: unknown, rows: readonly unknown[]): boolean =>
  value === rows || (typeof value === "object" && value !== null && Object.keys(value).length === 1);
