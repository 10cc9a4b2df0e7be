"use client";

import { useLocale, useTranslations } from "use-intl";
import { useSentence } from "@/components/ui/words/sentences";
import type { AgentList as List } from "@/lib/protocol/agents";
import { hasDraft } from "./use-agent-file";

export interface AgentListProps {
  agents: List;
  open: string | null;
  onOpen(id: string): void;
}

/** The agents, first those that cannot be used. */
export function AgentList({ agents: { items, broken }, open, onOpen }: AgentListProps) {
  const t = useTranslations("settings.agents");
  const locale = useLocale();
  const inWords = useSentence();
  return (
    <ul aria-label={t("title")} className="text-mach">
      {broken.map(({ id, file, error }) => (
        <li key={file} className="rule-b">
          {id === null ? (
            <p className="px-2 py-2">
              <b className="block text-[14px] font-semibold wrap-anywhere">{file}</b>
              <small className="block text-micro text-shu wrap-anywhere">{inWords(error)}</small>
            </p>
          ) : (
            <Row id={id} isOpen={id === open} onOpen={onOpen}>
              <small className="line-clamp-3 text-micro text-shu wrap-anywhere">{inWords(error)}</small>
            </Row>
          )}
        </li>
      ))}
      {items.map(({ id, name }) => (
        <li key={id} className="rule-b">
          <Row id={id} isOpen={id === open} onOpen={onOpen}>
            <small className="block truncate text-micro text-ink-3">
              {locale === "ja" ? name.ja : name.en}
            </small>
          </Row>
        </li>
      ))}
      {items.length + broken.length === 0 && <li className="py-3 text-ink-3">{t("none")}</li>}
    </ul>
  );
}

interface RowProps {
  id: string;
  isOpen: boolean;
  onOpen(id: string): void;
  children: React.ReactNode;
}

function Row({ id, isOpen, onOpen, children }: RowProps) {
  const t = useTranslations("settings.agents");
  return (
    <button
      type="button"
      aria-current={isOpen ? "true" : undefined}
      className="flex min-h-12 w-full items-center gap-3 px-2 py-2 text-left hover:bg-paper-2 aria-[current]:bg-paper-2"
      onClick={() => onOpen(id)}
    >
      <span className="min-w-0 flex-1">
        <b className="block truncate text-[14px] font-semibold">@{id}</b>
        {children}
      </span>
      {hasDraft(id) && <small className="flex-none text-micro text-ink-3">{t("unsaved")}</small>}
    </button>
  );
}
