"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { refreshResources, useResources } from "@/lib/client/servers/library";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { McpResourceItem } from "@/lib/protocol/mcp-offers";
import { OfferList } from "./offer-list";
import { ResourcePart } from "./resource-part";
import { TemplatePart } from "./template-part";
import { TwoParts } from "./two-parts";

/** The resources and templates of the server, and what the chosen one says. */
export default function ResourcesTab({ server }: { server: McpServerItem }) {
  const t = useTranslations("server.resources");
  const { data: list, error } = useResources(true);
  const [chosen, setChosen] = useState<string | null>(null);
  const ofServer = (items: readonly McpResourceItem[]) => items.filter((item) => item.server === server.name);
  if (!list) return <LoadState error={error} onRetry={refreshResources} />;
  const items = ofServer(list.items);
  const templates = ofServer(list.templates);
  if (items.length === 0 && templates.length === 0) return <p className="mt-4 text-ink-3">{t("none")}</p>;
  const resource = items.find(({ uri }) => uri === chosen);
  const template = templates.find(({ uri }) => uri === chosen);
  const toOffer = ({ uri, name, title }: McpResourceItem) => ({ id: uri, name: title ?? name, note: uri });
  return (
    <TwoParts
      isChosen={chosen !== null}
      onBack={() => setChosen(null)}
      list={
        <>
          <OfferList title={t("list")} offers={items.map(toOffer)} chosen={chosen} onChoose={setChosen} />
          <OfferList
            title={t("templates")}
            offers={templates.map(toOffer)}
            chosen={chosen}
            onChoose={setChosen}
          />
        </>
      }
    >
      {resource && <ResourcePart key={chosen} server={server.name} resource={resource} />}
      {template && <TemplatePart key={chosen} server={server.name} template={template} />}
      {!resource && !template && <p className="pt-3 text-ink-3">{t("choose")}</p>}
    </TwoParts>
  );
}
