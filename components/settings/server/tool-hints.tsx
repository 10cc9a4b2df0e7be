"use client";

import { useTranslations } from "use-intl";
import type { McpToolAnnotations } from "@/lib/protocol/mcp";

/** What the server says of its tool; hints, which nothing here relies on. */
export function ToolHints({ annotations }: { annotations: McpToolAnnotations }) {
  const t = useTranslations("server.hints");
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  // Of a tool that only reads the other two say nothing.
  const writes = readOnlyHint !== true;
  const said = [
    readOnlyHint && t("readOnly"),
    writes && destructiveHint !== undefined && t(destructiveHint ? "destructive" : "additive"),
    writes && idempotentHint && t("idempotent"),
    openWorldHint !== undefined && t(openWorldHint ? "openWorld" : "closedWorld"),
  ].filter((text) => typeof text === "string");
  if (said.length === 0) return null;
  return (
    <dl className="mt-1 flex flex-wrap gap-x-3 text-micro text-ink-3">
      <dt>{t("label")}</dt>
      {said.map((text) => (
        <dd key={text} className="text-ink-2">
          {text}
        </dd>
      ))}
    </dl>
  );
}
