"use client";

import { useTranslations } from "use-intl";
import { AssistantMark } from "@/components/assistant-mark";
import { NearLink } from "@/components/ui/near-link";
import type { Assistant } from "@/lib/protocol/assistants";

export interface AssistantCardsProps {
  assistants: readonly Assistant[];
  chosen: Assistant | undefined;
  onChoose(assistant: Assistant | null): void;
}

const maxShown = 6;

/** Who can answer a new conversation; the chosen one brings its questions to begin with. */
export default function AssistantCards({ assistants, chosen, onChoose }: AssistantCardsProps) {
  const t = useTranslations("chat.assistants");
  const first = assistants.slice(0, maxShown);
  const shown = chosen && !first.includes(chosen) ? [chosen, ...first.slice(1)] : first;
  return (
    <section aria-label={t("label")} className="mt-5">
      <ul className="grid grid-cols-2 gap-x-4 phone:grid-cols-1">
        {shown.map((assistant) => (
          <li key={assistant.id}>
            <button
              type="button"
              aria-pressed={assistant === chosen}
              className="flex min-h-14 w-full items-center gap-3 rounded-control px-2 py-1.5 text-left hover:bg-paper-2 aria-pressed:bg-paper-3"
              onClick={() => onChoose(assistant === chosen ? null : assistant)}
            >
              <AssistantMark icon={assistant.icon} />
              <span className="min-w-0">
                <b className="block truncate font-semibold">{assistant.name}</b>
                <small className="block truncate text-micro text-ink-3">{assistant.description}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p className="mt-1 px-2 meta">
        <NearLink href="/settings/assistants">{t("all", { count: assistants.length })}</NearLink>
      </p>
    </section>
  );
}
