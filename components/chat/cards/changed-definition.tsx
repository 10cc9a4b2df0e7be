"use client";

import { useEffect } from "react";
import { useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { DefinitionDiff } from "@/components/settings/servers/definition-diff";
import { DefinitionFlags } from "@/components/settings/servers/definition-flags";
import { useDefinitions } from "@/components/settings/servers/use-definitions";
import type { ToolCall } from "@/lib/protocol/message";

/** What differs in the definition that a call waits for, and what is odd about it. */
export default function ChangedDefinition({
  call,
  onSeen,
}: {
  call: ToolCall;
  /** It stands there to be judged, or why it does not: an answer is about this definition and no later one. */
  onSeen(): void;
}) {
  const t = useTranslations("chat.card.definition");
  const { server, tool } = toolName(call);
  const items = useDefinitions(server);
  const isThere = items !== undefined;
  useEffect(() => {
    if (isThere) onSeen();
  }, [onSeen, isThere]);
  if (!items) return <p className="meta">…</p>;
  const item = items.find((one) => one.tool === tool);
  if (!item?.present) return <p className="meta">{t("away")}</p>;
  if (item.present.hash !== call.definition) return <p className="meta">{t("again")}</p>;
  if (item.state === "pinned") return <p className="meta">{t("accepted")}</p>;
  return (
    <div className="mb-3">
      <DefinitionFlags server={server} definition={item.present.definition} />
      <DefinitionDiff before={item.accepted?.definition ?? null} now={item.present.definition} />
    </div>
  );
}
