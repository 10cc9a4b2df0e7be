"use client";

import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Content } from "@/components/chat/turn/tool-result";
import { Button } from "@/components/ui/controls/button";
import { Switch } from "@/components/ui/controls/switch";
import { useResourceUpdates } from "@/lib/client/servers/resource-updates";
import { readResource } from "@/lib/client/servers/server-actions";
import type { McpResourceItem } from "@/lib/protocol/mcp-offers";
import type { ToolContent } from "@/lib/protocol/message";
import { useAsk } from "./use-ask";

/** A resource: read on request, and watched on request, which says when it has changed since. */
export function ResourcePart({ server, resource }: { server: string; resource: McpResourceItem }) {
  const t = useTranslations("server.resources");
  const format = useFormatter();
  const [isWatched, setWatched] = useState(false);
  const { value, failure, busy, ask } = useAsk<ToolContent[]>();
  const { uri, title, name, description, mediaType, size } = resource;
  const { changed, fault, markRead } = useResourceUpdates(server, uri, isWatched);
  const read = () =>
    ask(async () => {
      const content = await readResource(server, uri);
      markRead();
      return content;
    });
  const about = [mediaType, size !== null && t("bytes", { size })].filter(Boolean);
  return (
    <section aria-label={title ?? name} className="pt-3">
      <h2 className="font-voice text-voice wrap-anywhere">{title ?? name}</h2>
      <p className="text-mach">
        <code className="text-[12px] wrap-anywhere">{uri}</code>
      </p>
      {about.length > 0 && (
        <p className="text-micro text-ink-3">{format.list(about as string[], { type: "unit" })}</p>
      )}
      {description && (
        <p className="mt-1 text-[14px] whitespace-pre-line wrap-anywhere text-ink-2">{description}</p>
      )}
      <div className="mt-3 flex flex-wrap items-center gap-3 text-mach">
        <Button tone={value ? "outline" : "ink"} disabled={busy} aria-busy={busy} onClick={read}>
          {t(value ? "again" : "read")}
        </Button>
        <Switch checked={isWatched} label={t("watch", { name: title ?? name })} onChange={setWatched} words />
        <span role="status">
          {isWatched &&
            (changed ? t("changedNow") : <span className="text-ink-3">{fault ?? t("watched")}</span>)}
        </span>
      </div>
      {failure && (
        <p role="alert" className="mt-2 text-mach">
          {failure}
        </p>
      )}
      {value && <Shown content={value} server={server} />}
    </section>
  );
}

/** What a resource holds. */
export function Shown({ content, server }: { content: ToolContent[]; server: string }) {
  const t = useTranslations("server.resources");
  return (
    <div className="mt-3 flex flex-col gap-2">
      {content.length === 0 ? (
        <p className="text-ink-3">{t("empty")}</p>
      ) : (
        <Content result={{ content }} server={server} />
      )}
    </div>
  );
}
