"use client";

import { useFormatter, useTranslations } from "use-intl";
import { useServers } from "@/lib/client/servers";
import { type DefinitionFlag, definitionFlags } from "@/lib/protocol/definition-flags";
import type { McpDefinition } from "@/lib/protocol/mcp";

/** What a person should know of a definition before they trust it, in words; nothing where there is nothing. */
export function DefinitionFlags({ server, definition }: { server: string; definition: McpDefinition }) {
  const t = useTranslations("definitions.flags");
  const format = useFormatter();
  const { data } = useServers();
  const known = (data?.items ?? []).flatMap(({ name, tools }) =>
    tools.map((tool) => ({ server: name, name: tool.name, qualifiedName: tool.qualifiedName })),
  );
  const flags = definitionFlags(server, definition, known);
  if (flags.length === 0) return null;
  const words = (flag: DefinitionFlag): string => {
    switch (flag.kind) {
      case "invisible":
        return t("invisible");
      case "long":
        return t("long", { count: format.number(flag.characters) });
      case "mentions":
        return t("mentions", { tools: format.list(flag.tools) });
    }
  };
  return (
    <ul className="my-1 text-mach text-shu" aria-label={t("title")}>
      {flags.map((flag) => (
        <li key={flag.kind} className="[overflow-wrap:anywhere]">
          {words(flag)}
        </li>
      ))}
    </ul>
  );
}
