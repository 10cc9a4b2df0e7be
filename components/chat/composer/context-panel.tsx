"use client";

import { useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useFormatter, useTranslations } from "use-intl";
import { useAmount } from "@/components/chat/parts/use-amount";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { useSentence } from "@/components/ui/words/sentences";
import type { KnownLedger } from "@/lib/client/conversation/ledger";
import type { Ledger, LedgerKind, LedgerPart } from "@/lib/protocol/ledger";
import { ContextPart } from "./context-part";
import { ContextTook } from "./context-took";
import { panelWidth, usePanelPlace } from "./use-panel-place";

export interface ContextPanelProps extends KnownLedger {
  ledger: Ledger;
  opener: React.RefObject<HTMLElement | null>;
  onClose(): void;
}

/** Parts of one kind that are shown before one asks for the others. */
const shownFirst = 5;

/** As the bar shows them: what answers bring first, what is the same for every message last. */
const order: readonly LedgerKind[] = [
  "result",
  "message",
  "file",
  "summary",
  "schemas",
  "instructions",
  "system",
];
const shades: Record<LedgerKind, string> = {
  result: "bg-[repeating-linear-gradient(115deg,var(--ink)_0_1.5px,transparent_1.5px_4px)]",
  message: "bg-ink-3",
  file: "bg-ink-2",
  summary: "bg-thread",
  schemas: "bg-ink",
  instructions: "bg-rule-2",
  system: "bg-rule",
};

/**
 * What the model reads with the next message, by where it comes from, and what the conversation has used so far. Parts can be
 * left out, shortened and pinned, from the next answer on.
 */
export default function ContextPanel({ opener, onClose, ...known }: ContextPanelProps) {
  const { ledger, failure, isChanging, change, again } = known;
  const t = useTranslations("chat.context");
  const common = useTranslations("common");
  const inWords = useSentence();
  const format = useFormatter();
  const panel = useRef<HTMLElement>(null);
  const { isCover } = usePanelPlace(panel, opener, onClose);
  const { tokens, window, totals, parts } = ledger;
  const count = format.number(tokens);
  const kinds = order.flatMap((kind) => totals.find((total) => total.kind === kind) ?? []);
  return createPortal(
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label={t("title")}
      aria-busy={isChanging}
      className="fixed inset-y-0 right-0 z-20 max-w-full overflow-y-auto border-l border-rule bg-paper px-6 pt-3 pb-6 text-mach text-ink thin-bar outline-none print:hidden phone:px-4"
      style={{ width: isCover ? "100%" : panelWidth }}
    >
      <div className="flex items-center">
        <h2 className="flex-1 font-voice text-[19px] leading-7">{t("title")}</h2>
        <IconButton icon="cross" label={common("close")} onClick={onClose} />
      </div>
      <p>{window === null ? t("tokens", { count }) : t("of", { count, window: format.number(window) })}</p>
      <Bar ledger={ledger} kinds={kinds} />
      <p className="my-2 text-micro text-ink-3">{t("from")}</p>
      {failure && (
        <p role="alert" className="mt-2 text-shu">
          {inWords(failure.message)} <TextButton onClick={again}>{common("tryAgain")}</TextButton>
        </p>
      )}
      {kinds.map((total) => (
        <Kind
          key={total.kind}
          {...total}
          parts={parts.filter(({ kind }) => kind === total.kind)}
          change={change}
          scale={ledger.scale}
        />
      ))}
      <ContextTook ledger={ledger} change={change} />
      <Spent ledger={ledger} />
    </aside>,
    document.body,
  );
}

function Bar({ ledger, kinds }: { ledger: Ledger; kinds: Ledger["totals"] }) {
  const t = useTranslations("chat.context");
  const format = useFormatter();
  const { tokens, window, shortensAt } = ledger;
  const whole = Math.max(window ?? tokens, tokens, 1);
  const words = kinds.map(({ kind, tokens: part }) => `${t(`kind.${kind}`)} ${format.number(part)}`);
  return (
    <>
      <div role="img" aria-label={words.join(", ")} className="mt-3 flex h-3 gap-px bg-paper-3">
        {kinds.map(({ kind, tokens: part }) => (
          <span key={kind} className={shades[kind]} style={{ width: `${(100 * part) / whole}%` }} />
        ))}
      </div>
      {window !== null && (
        <p className="mt-1 mb-2 flex justify-between text-micro text-ink-3">
          <span>{format.number(tokens / window, { style: "percent" })}</span>
          {shortensAt !== null && <span>{t("shortens", { count: format.number(shortensAt) })}</span>}
        </p>
      )}
    </>
  );
}

type KindProps = Ledger["totals"][number] & {
  parts: readonly LedgerPart[];
  scale: number;
  change: KnownLedger["change"];
};

function Kind({ kind, count, tokens, parts, scale, change }: KindProps) {
  const t = useTranslations("chat.context");
  const format = useFormatter();
  const [isWhole, setWhole] = useState(false);
  const listed = kind === "system" ? [] : [...parts].sort((a, b) => b.full - a.full);
  const shown = isWhole ? listed : listed.slice(0, shownFirst);
  return (
    <section className="rule-t py-1">
      <h3 className="flex min-h-8 items-center gap-2">
        <span className={cn("size-3 flex-none", shades[kind])} aria-hidden="true" />
        <span className="flex-1 font-semibold">{t(`kind.${kind}`)}</span>
        <span className="text-micro font-normal text-ink-3">{kind !== "system" && format.number(count)}</span>
        <span className="w-16 text-right font-semibold tabular-nums">{format.number(tokens)}</span>
      </h3>
      {shown.length > 0 && (
        <ul>
          {shown.map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one id can stand for several parts
            <ContextPart key={`${part.id}-${at}`} part={part} scale={scale} change={change} />
          ))}
        </ul>
      )}
      {listed.length > shown.length && (
        <TextButton className="ml-5" onClick={() => setWhole(true)}>
          {t("more", { count: listed.length - shown.length })}
        </TextButton>
      )}
    </section>
  );
}

/** All runs of all branches: what was paid for, not what is sent next. */
function Spent({ ledger: { spent } }: { ledger: Ledger }) {
  const t = useTranslations("chat.context");
  const format = useFormatter();
  const amount = useAmount();
  const { inputTokens, outputTokens, cachedInputTokens, cost } = spent;
  if (inputTokens + outputTokens === 0) return null;
  return (
    <p className="rule-t pt-3 text-mach">
      <b className="font-semibold">{t("spent")}</b>{" "}
      {t("spentTokens", { input: format.number(inputTokens), output: format.number(outputTokens) })}
      {cachedInputTokens ? ` · ${t("spentCached", { count: format.number(cachedInputTokens) })}` : null}
      {cost === undefined ? null : ` · ${amount("cost", cost)}`}
    </p>
  );
}
