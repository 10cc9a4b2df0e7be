"use client";

import { useFormatter, useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { useAmount } from "@/components/chat/parts/use-amount";
import { cn } from "@/components/ui/cn";
import { Dot, Ring, type RingState } from "@/components/ui/ring";
import { useSentence } from "@/components/ui/words/sentences";
import { showDuration } from "@/lib/client/run/durations";
import { type CellWord, wordOf } from "@/lib/client/run/matrix-view";
import type { MatrixCell } from "@/lib/protocol/matrix";
import type { TapeMisses } from "@/lib/protocol/tape";

export interface MatrixCellWordsProps {
  cell: MatrixCell;
  tape: TapeMisses;
  isCheapest: boolean;
}

/** Three lines: how it stands or differs, what it took, what it cost. */
export function MatrixCellWords({ cell, tape, isCheapest }: MatrixCellWordsProps) {
  const t = useTranslations("run.matrix");
  const word = wordOf(cell);
  const isLoud = word === "waiting" || word === "failed";
  const isPale = word === "queued" || word === "gone" || word === "stopped" || word === "interrupted";
  const differs = word === "sameAnswer" || word === "otherAnswer";
  return (
    <span className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-2 leading-5">
      <span className="grid h-5 place-items-center">
        <Sign word={word} />
      </span>
      <span
        className={cn(isLoud && "text-shu", isPale && "text-ink-3", (isLoud || differs) && "font-semibold")}
      >
        {t(`word.${word}`, { loop: cell.loops })}
      </span>
      <span className="col-start-2 line-clamp-2 text-micro leading-5 text-ink-3 wrap-anywhere">
        <Second cell={cell} tape={tape} />
      </span>
      <span className="col-start-2 text-micro leading-5 text-ink-3">
        <Cost cell={cell} isCheapest={isCheapest} />
      </span>
    </span>
  );
}

const rings: Partial<Record<CellWord, RingState>> = {
  ...{ queued: "off", paused: "held", running: "run", begins: "run", waiting: "wait" },
  ...{ failed: "failed", stopped: "off", interrupted: "unknown", gone: "off" },
};

function Sign({ word }: { word: CellWord }) {
  const state = rings[word];
  return state ? <Ring state={state} size={14} /> : <Dot size={8} />;
}

function Second({ cell, tape }: Pick<MatrixCellWordsProps, "cell" | "tape">) {
  const t = useTranslations("run.matrix");
  const format = useFormatter();
  const inWords = useSentence();
  const { asks, error, status, usage, loops, latencyMs } = cell;
  if (error) return inWords(error.message);
  if (status === "paused") return t("pausedHint");
  if (asks) {
    if (asks.kind === "limit") return t(asks.limit === "price" ? "asks.price" : "asks.limit");
    if (asks.kind !== "call") return t(`asks.${asks.kind}`);
    const tool = toolName({ name: asks.tool ?? "" }).tool;
    return t(tape === "ask" ? "asks.recorded" : "asks.call", { tool });
  }
  if (loops === 0) return null;
  const tokens = format.number(usage.inputTokens + usage.outputTokens);
  return t("figures", { loops, time: showDuration(latencyMs), tokens });
}

function Cost({
  cell: { cost, sent, status, loops },
  isCheapest,
}: Pick<MatrixCellWordsProps, "cell" | "isCheapest">) {
  const t = useTranslations("run.matrix");
  const and = useTranslations("run.figures")("and");
  const amount = useAmount();
  if (loops === 0) return null;
  const written = cost === null ? t("noPrice") : amount("cost", cost);
  return (
    <>
      <span className={isCheapest ? "font-semibold text-ink" : undefined}>
        {status === "running" && cost !== null ? t("soFar", { cost: written }) : written}
      </span>
      {sent > 0 && and + t("sent", { count: sent })}
    </>
  );
}
