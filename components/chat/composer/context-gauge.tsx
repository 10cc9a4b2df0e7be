"use client";

import { memo, useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { fetchAhead, latePart, useLatePart } from "@/components/ui/late-part";
import { useLedger } from "@/lib/client/conversation/ledger";
import { useModel } from "@/lib/client/conversation/models";
import { useServers } from "@/lib/client/servers/servers";
import type { ContextPanelProps } from "./context-panel";
import { useContextCost, usedServers } from "./use-context-cost";
import type { SendChoices } from "./use-send-options";

const contextPanel = latePart<ContextPanelProps>(() => import("./context-panel"));
const preload = () => fetchAhead(contextPanel);

/** Share of the context window from which on a person should look. */
const fullFrom = 0.8;

export interface ContextGaugeProps {
  options: SendChoices;
  /** Null in a new conversation, which has no more than the descriptions of tools. */
  conversation: string | null;
  /** Another one after each answer; null while one is written. */
  moment: string | null;
}

/** How much of what the model can read is taken with the next message; in a conversation it opens what takes it. */
export const ContextGauge = memo(function ContextGauge({ options, conversation, moment }: ContextGaugeProps) {
  const t = useTranslations("chat.composer.cost");
  const format = useFormatter();
  const { data } = useServers();
  const cost = useContextCost(usedServers(data?.items ?? [], options), options);
  const known = useLedger(conversation, options.model, moment);
  const { ledger } = known;
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const Panel = useLatePart(contextPanel, isOpen);
  const model = useModel(options.model);
  const window = ledger ? ledger.window : cost.window;
  const share = ledger ? ledger.tokens / (ledger.window ?? Number.POSITIVE_INFINITY) : cost.share;
  const isFull = ledger ? share !== null && share > fullFrom : cost.isFull;
  const isKnown = share !== null && window !== null;
  if (!isKnown && !ledger)
    return (
      <span className="mx-2 min-w-0 flex-1 truncate text-right text-micro text-ink-3">
        {model && model.provider !== "demo" && (
          <span className="@max-[560px]/bar:hidden" title={t("unknownHint", { model: model.name })}>
            {t("unknown")}
          </span>
        )}
      </span>
    );
  const count = format.number(ledger?.tokens ?? 0, { notation: "compact" });
  const percent = isKnown
    ? format.number(share, { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 })
    : t("tokens", { count });
  const size = isKnown ? format.number(window, { notation: "compact" }) : "";
  const words = isKnown ? t("of", { percent, size }) : percent;
  const look = cn(
    "ml-auto flex flex-none items-center gap-2 text-micro whitespace-nowrap",
    isFull ? "text-shu" : "text-ink-3",
  );
  const meter = (
    <>
      {isKnown && (
        <span
          // In the button its name says it.
          {...(!ledger && {
            role: "meter",
            "aria-label": t("gauge"),
            "aria-valuemin": 0,
            "aria-valuemax": 100,
            "aria-valuenow": Math.round(Math.min(1, share) * 100),
            "aria-valuetext": words,
          })}
          className="h-1 w-14 bg-paper-3 @max-[560px]/bar:hidden"
        >
          <span
            className={cn("block h-full min-w-px", isFull ? "bg-shu" : "bg-ink-2")}
            style={{ width: `${Math.min(1, share) * 100}%` }}
          />
        </span>
      )}
      <span aria-hidden="true">
        {percent}
        {isKnown && <span className="phone:hidden">{t("ofSize", { size })}</span>}
      </span>
    </>
  );
  if (!ledger)
    return (
      <span className={cn("mx-2", look)} title={t("gauge")}>
        {meter}
      </span>
    );
  return (
    <>
      <button
        ref={button}
        type="button"
        className={cn(
          "min-h-7 rounded-control px-2 hover:bg-paper-3 phone:min-h-11",
          look,
          !isKnown && "@max-[480px]/bar:hidden @max-[480px]/bar:[&+*]:ml-auto",
        )}
        aria-expanded={isOpen}
        aria-label={`${t("open")}: ${words}`}
        title={t("open")}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => setOpen(!isOpen)}
      >
        {meter}
      </button>
      {isOpen && Panel && <Panel {...known} ledger={ledger} opener={button} onClose={() => setOpen(false)} />}
    </>
  );
});
