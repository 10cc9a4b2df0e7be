"use client";

import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import type { AcceptedDefinition, McpDefinitionItem } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { DefinitionDiff } from "./definition-diff";
import { useDefinitions } from "./use-definitions";

/** Which definitions were accepted and when, and what each changed in the one before. Read when it is opened. */
export function DefinitionHistory({ server }: { server: string }) {
  const t = useTranslations("definitions");
  const [open, setOpen] = useState(false);
  return (
    <details className="mt-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-micro text-ink-3">{t("history")}</summary>
      {open && <Tools server={server} />}
    </details>
  );
}

function Tools({ server }: { server: string }) {
  const t = useTranslations("definitions");
  const items = useDefinitions(server)?.filter(({ accepted }) => accepted);
  if (!items) return <p className="text-ink-3">…</p>;
  if (items.length === 0) return <p className="text-ink-3">{t("noHistory")}</p>;
  return (
    <ul aria-label={t("history")}>
      {items.map((item) => (
        <li key={item.tool} className="pt-2 pb-3 rule-t">
          <b className="font-semibold wrap-anywhere">{showInvisible(item.tool)}</b>
          <Accepted item={item} />
        </li>
      ))}
    </ul>
  );
}

function Accepted({ item: { accepted, history } }: { item: McpDefinitionItem }) {
  const t = useTranslations("definitions");
  const format = useFormatter();
  const all = accepted ? [accepted, ...history] : history;
  const dateOf = ({ acceptedAt }: AcceptedDefinition) =>
    acceptedAt
      ? t("acceptedAt", {
          date: format.dateTime(new Date(acceptedAt), { dateStyle: "medium", timeStyle: "short" }),
        })
      : t("acceptedOnce");
  return (
    <ol>
      {all.map((one, at) => {
        const before = all[at + 1];
        return (
          <li key={`${one.hash} ${one.acceptedAt}`}>
            <p className="text-ink-3">{dateOf(one)}</p>
            {before && <DefinitionDiff before={before.definition} now={one.definition} />}
          </li>
        );
      })}
    </ol>
  );
}
