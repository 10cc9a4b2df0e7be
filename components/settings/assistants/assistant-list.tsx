"use client";

import { useFormatter, useTranslations } from "use-intl";
import { AssistantMark } from "@/components/assistant-mark";
import { useModels } from "@/lib/client/conversation/models";
import { useServers } from "@/lib/client/servers/servers";
import type { Assistant } from "@/lib/protocol/assistants";
import { readDraft } from "./assistant-draft";

export interface AssistantListProps {
  assistants: readonly Assistant[];
  open: string | null;
  onOpen(id: string): void;
}

/** Each with what answers, and what of that is gone. */
export function AssistantList({ assistants, open, onOpen }: AssistantListProps) {
  const t = useTranslations("settings.assistants");
  return (
    <>
      {assistants.length > 0 && (
        <ul aria-label={t("title")} className="text-mach">
          {assistants.map((assistant) => (
            <li key={assistant.id} className="rule-b">
              <button
                type="button"
                aria-current={assistant.id === open ? "true" : undefined}
                className="flex min-h-15 w-full items-center gap-3 px-2 py-2 text-left hover:bg-paper-2 aria-[current]:bg-paper-2"
                onClick={() => onOpen(assistant.id)}
              >
                <AssistantMark icon={assistant.icon} />
                <span className="min-w-0 flex-1">
                  <b className="block truncate text-[14px] font-semibold">{assistant.name}</b>
                  <small className="block truncate text-micro text-ink-3">
                    <Facts assistant={assistant} />
                  </small>
                </span>
                {readDraft(assistant.id) && (
                  <small className="flex-none text-micro text-ink-3">{t("unsaved")}</small>
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="max-w-120 py-3 text-mach text-pretty text-ink-3">
        {t(assistants.length > 0 ? "without" : "none")}
      </p>
    </>
  );
}

/** The model, the servers, and first what is not there any more. */
function Facts({ assistant: { model, servers, description } }: { assistant: Assistant }) {
  const t = useTranslations("settings.assistants");
  const format = useFormatter();
  const models = useModels().data?.items;
  const there = useServers().data?.items;
  const isModelGone = model !== undefined && models?.every(({ id }) => id !== model);
  const gone = there ? (servers ?? []).filter((name) => !there.some((server) => server.name === name)) : [];
  const missing = [...(isModelGone ? [model] : []), ...gone];
  const parts = [
    model && !isModelGone && (models?.find(({ id }) => id === model)?.name ?? model),
    ...(servers?.filter((name) => !gone.includes(name)) ?? []),
  ].filter((part) => typeof part === "string");
  return (
    <>
      {missing.length > 0 && (
        <b className="font-normal text-shu">
          {t("gone", { names: format.list(missing, { type: "unit" }) })}{" "}
        </b>
      )}
      {parts.length > 0 ? format.list(parts, { type: "unit" }) : missing.length === 0 && description}
    </>
  );
}
