"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Key } from "@/components/ui/key";
import type { SayHow } from "@/lib/client/conversation/queue-lines";
import type { Say } from "./use-say";

export interface SayChoiceProps {
  say: Say;
  /** A person is waited for. */
  waits: boolean;
}

const ways: readonly { how: SayHow; keys: string }[] = [
  { how: "after", keys: "Enter" },
  { how: "next_turn", keys: "Mod+Enter" },
  { how: "stop", keys: "Shift+Mod+Enter" },
];

/** What becomes of the message while an answer goes on. The field keeps the focus where one presses. */
export default function SayChoice({ say, waits }: SayChoiceProps) {
  const t = useTranslations("chat.say");
  const hint = useId();
  const step = (event: React.KeyboardEvent, at: number) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const next = by && ways.at((at + by) % ways.length);
    if (!next) return;
    event.preventDefault();
    say.choose(next.how);
    event.currentTarget.parentElement
      ?.querySelectorAll<HTMLElement>("[role=radio]")
      [ways.indexOf(next)]?.focus();
  };
  return (
    <div
      role="radiogroup"
      aria-label={t("label")}
      aria-describedby={hint}
      className="flex h-8 items-center gap-5 px-3.5 text-mach phone:h-11 phone:justify-between phone:gap-2"
    >
      {ways.map(({ how, keys }, at) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio button would take the focus from the field
        <button
          key={how}
          type="button"
          role="radio"
          aria-checked={say.how === how}
          tabIndex={say.how === how ? 0 : -1}
          className="inline-flex h-7 flex-none items-center gap-2 whitespace-nowrap text-ink-3 hover:text-ink aria-checked:text-ink phone:h-11"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => say.choose(how)}
          onKeyDown={(event) => step(event, at)}
        >
          <span
            data-word={t(how)}
            className={cn(
              "keeps-bold leading-7",
              say.how === how && "font-semibold shadow-[inset_0_-1.5px_var(--ink)]",
            )}
          >
            {t(how)}
          </span>
          <Key keys={keys} />
        </button>
      ))}
      <span id={hint} className="ml-auto min-w-0 truncate text-micro text-ink-3 phone:hidden">
        {t(`${waits ? "whileWaiting" : "whileRunning"}.${say.how}`)}
      </span>
    </div>
  );
}
