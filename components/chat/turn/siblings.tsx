"use client";

import { useTranslations } from "use-intl";
import { Icon } from "@/components/ui/icon";

export interface SiblingsProps {
  /** Oldest first. */
  ids: readonly string[];
  current: string;
  busy: boolean;
  onShow(id: string): void;
}

/** "2 / 3": the versions of a question or an answer. */
export function Siblings({ ids, current, busy, onShow }: SiblingsProps) {
  const t = useTranslations("chat.siblings");
  const at = ids.indexOf(current);
  if (ids.length < 2 || at < 0) return null;
  const step = (by: -1 | 1) => {
    const id = ids[at + by];
    return { disabled: busy || id === undefined, onClick: () => id !== undefined && onShow(id) };
  };
  return (
    <span className="inline-flex items-center text-micro whitespace-nowrap text-ink-3">
      <button type="button" className={stepLook} aria-label={t("previous")} {...step(-1)}>
        <Icon name="chevronLeft" size={14} />
      </button>
      <span>{t("position", { number: at + 1, count: ids.length })}</span>
      <button type="button" className={stepLook} aria-label={t("next")} {...step(1)}>
        <Icon name="chevronRight" size={14} />
      </button>
    </span>
  );
}

const stepLook =
  "grid size-6 place-items-center rounded-chip hover:enabled:bg-paper-3 hover:enabled:text-ink disabled:opacity-40 phone:size-9";
