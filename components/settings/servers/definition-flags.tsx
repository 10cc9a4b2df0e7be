"use client";

import { useFormatter, useTranslations } from "use-intl";
import { useServers } from "@/lib/client/servers/servers";
import { type DefinitionFlag, definitionFlags, type KnownTool } from "@/lib/protocol/definition-flags";
import type { McpDefinition, McpServerList } from "@/lib/protocol/mcp";

/** What a person should know of a definition before they trust it, in words; nothing where there is nothing. */
export function DefinitionFlags({ server, definition }: { server: string; definition: McpDefinition }) {
  const t = useTranslations("definitions.flags");
  const format = useFormatter();
  const { data } = useServers();
  const flags = definitionFlags(server, definition, data ? knownTools(data) : none);
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
        <li key={flag.kind} className="wrap-anywhere">
          {words(flag)}
        </li>
      ))}
    </ul>
  );
}

const none: KnownTool[] = [];
/** Worked out once for all definitions on a page. */
const known = new WeakMap<McpServerList, KnownTool[]>();

function knownTools(list: McpServerList): KnownTool[] {
  const tools =
    known.get(list) ??
    list.items.flatMap(({ name: server, tools }) =>
      tools.map(({ name, qualifiedName }) => ({ server, name, qualifiedName })),
    );
  known.set(list, tools);
  return tools;
}
