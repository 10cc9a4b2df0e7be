"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { TextButton } from "@/components/ui/controls/text-button";
import { Table } from "@/components/ui/table";
import { useShownNumber } from "./use-shown-number";

const firstRows = 12;
const maxRows = 500;

/** Rows of a result as a table; the first twelve, and the others on request. */
export function RowsTable({ rows }: { rows: readonly Record<string, unknown>[] }) {
  const t = useTranslations("chat.tool");
  const show = useShownNumber();
  const [all, setAll] = useState(false);
  const columns = [...new Set(rows.slice(0, maxRows).flatMap((row) => Object.keys(row)))];
  const shown = rows.slice(0, all ? maxRows : firstRows);
  return (
    <>
      <Table
        columns={columns}
        rows={shown.map((row) => columns.map((column) => cell(row[column])))}
        showNumber={show}
      />
      {rows.length > shown.length && !all && (
        <TextButton onClick={() => setAll(true)}>
          {t("showAllRows", { count: Math.min(rows.length, maxRows) })}
        </TextButton>
      )}
      {all && rows.length > maxRows && (
        <p className="meta">{t("moreEntries", { count: rows.length - maxRows })}</p>
      )}
    </>
  );
}

function cell(value: unknown): string | number {
  if (typeof value === "number") return value;
  if (value === null || value === undefined) return "";
  return Array.isArray(value) ? value.join("; ") : String(value);
}
