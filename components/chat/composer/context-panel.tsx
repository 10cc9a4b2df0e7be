"use client";

import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useAmount } from "@/components/chat/parts/use-amount";
import { cn } from "@/components/ui/cn";
import { TextButton } from "@/components/ui/controls/text-button";
import { Dialog } from "@/components/ui/layers/dialog";
import type { Ledger, LedgerKind, LedgerPart } from "@/lib/protocol/ledger";

export interface ContextPanelProps {
  ledger: Ledger;
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

/** What the model reads with the next message, by where it comes from, and what the conversation has used so far. */
export default function ContextPanel({ ledger, onClose }: ContextPanelProps) {
  const t = useTranslations("chat.context");
  const common = useTranslations("common");
  const format = useFormatter();
  const { tokens, window, shortensAt, totals, parts } = ledger;
  const count = format.number(tokens);
  const kinds = order.flatMap((kind) => totals.find((total) => total.kind === kind) ?? []);
  return (
    <Dialog
      title={t("title")}
      lede={window === null ? t("tokens", { count }) : t("of", { count, window: format.number(window) })}
      width={440}
      closeLabel={common("close")}
      onClose={onClose}
    >
      <div className="flex h-3 gap-px bg-paper-3" aria-hidden="true">
        {kinds.map(({ kind, tokens: part }) => (
          <span
            key={kind}
            className={shades[kind]}
            style={{ width: `${(100 * part) / Math.max(window ?? tokens, tokens, 1)}%` }}
          />
        ))}
      </div>
      {shortensAt !== null && (
        <p className="mt-1 text-right text-micro text-ink-3">
          {t("shortens", { count: format.number(shortensAt) })}
        </p>
      )}
      {kinds.map((total) => (
        <Kind key={total.kind} {...total} parts={parts.filter(({ kind }) => kind === total.kind)} />
      ))}
      <Spent ledger={ledger} />
    </Dialog>
  );
}

function Kind({ kind, count, tokens, parts }: Ledger["totals"][number] & { parts: readonly LedgerPart[] }) {
  const t = useTranslations("chat.context");
  const format = useFormatter();
  const [isWhole, setWhole] = useState(false);
  // A message by itself says nothing here: only what can be named is listed.
  const named = kind === "message" || kind === "system" ? [] : [...parts].sort((a, b) => b.full - a.full);
  const shown = isWhole ? named : named.slice(0, shownFirst);
  return (
    <section className="rule-t py-1 text-mach">
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
            <Part key={`${part.id}-${at}`} part={part} />
          ))}
        </ul>
      )}
      {named.length > shown.length && (
        <TextButton className="ml-5" onClick={() => setWhole(true)}>
          {t("more", { count: named.length - shown.length })}
        </TextButton>
      )}
    </section>
  );
}

function Part({ part }: { part: LedgerPart }) {
  const t = useTranslations("chat.context");
  const format = useFormatter();
  const { state, full, tokens } = part;
  const isDropped = state === "dropped";
  return (
    <li className="flex min-h-7 items-center gap-2 pl-5">
      <span className={cn("min-w-0 flex-1 truncate", isDropped && "text-ink-3 line-through")}>
        <Name part={part} />
      </span>
      <span className="text-micro text-ink-3">
        {isDropped
          ? t("dropped")
          : state === "kept"
            ? part.count !== undefined && t("tools", { count: part.count })
            : t("trimmed", { count: format.number(full) })}
      </span>
      <span className="w-16 text-right tabular-nums">{format.number(isDropped ? full : tokens)}</span>
    </li>
  );
}

function Name({ part: { kind, id, server, name, turn } }: { part: LedgerPart }) {
  const t = useTranslations("chat.context");
  switch (kind) {
    case "result":
      return `${[server, name].filter(Boolean).join(" · ")}${turn ? `, ${t("turn", { turn })}` : ""}`;
    case "instructions":
      return id === "server" ? t("ofServer", { server: server ?? "" }) : t(`whose.${id as "settings"}`);
    case "file":
      return id === "project" ? t("projectFiles") : (name ?? id);
    case "schemas":
      return server === "meguri" ? "Meguri" : (server ?? id);
    case "summary":
      return t("summaryTo", { turn: turn ?? 1 });
    case "message":
    case "system":
      return null;
  }
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
