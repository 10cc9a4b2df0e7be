"use client";

import { memo } from "react";
import { useTranslations } from "use-intl";
import { ToolApp } from "@/components/chat/apps/tool-app";
import { toolName } from "@/components/chat/parts/tool-name";
import { ServerIcon } from "@/components/server-icon";
import { cn } from "@/components/ui/cn";
import { withBlocks } from "@/components/ui/redacted";
import { Dot, Ring } from "@/components/ui/ring";
import { mainArgument } from "@/lib/client/run/call-summary";
import { showDuration } from "@/lib/client/run/durations";
import { readPartial } from "@/lib/client/run/partial-json";
import type { ToolView } from "@/lib/client/run/run-view";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { type BarSpan, LedgerLine } from "./ledger-line";
import { ToolDetail } from "./tool-detail";
import { ToolWhy, wasCancelled, wasLeftOpen } from "./tool-why";
import { useForkOfCall } from "./use-fork-of-call";
import { useToolNote } from "./use-tool-note";
import { useWithheld } from "./withheld";

export interface ToolLineProps {
  item: ToolView;
  /** Whether the model's turn is whole: until then it is still writing the arguments. */
  whole: boolean;
  bar: BarSpan | null;
  /** Of a call that goes on: how long it takes so far. */
  soFarMs: number | null;
  /** Whether the model went on after this call. */
  wentOn: boolean;
  /** Whether nothing goes on in its loop: the run waits, or has stopped there. */
  isHeld: boolean;
  readOnly?: boolean | undefined;
  loopNumber: number;
  /** A copy from the answer that this one was forked from. */
  kept: boolean;
  /** Whether the answer can be forked at its loop. */
  canFork: boolean;
}

/** One call on one line: server, tool, the argument that matters, what came back, when and how long. */
export const ToolLine = memo(function ToolLine({
  item,
  whole,
  bar,
  soFarMs,
  wentOn,
  isHeld,
  readOnly,
  loopNumber,
  kept,
  canFork,
}: ToolLineProps) {
  const t = useTranslations("chat.tool");
  const { server, tool } = toolName(item.call);
  const withheld = useWithheld(item.id);
  const note = useToolNote(item, whole, isHeld);
  const { begin, isOpen, panel, said } = useForkOfCall(item, loopNumber, kept);
  const onFork = canFork ? begin : undefined;
  const time = soFarMs ?? item.durationMs;
  const shown = time === null ? (item.state === "unknown" ? t("sent") : null) : showDuration(time);
  return (
    <>
      <LedgerLine
        call={item.id}
        node={<ToolNode item={item} whole={whole} />}
        time={shown}
        bar={kept ? "none" : bar}
        readOnly={readOnly ?? false}
        below={<ToolWhy item={item} wentOn={wentOn} />}
        detail={() => <ToolDetail item={item} onFork={onFork} />}
        panel={panel}
        onFork={isOpen ? undefined : onFork}
      >
        <span className="truncate text-ink [&>i]:px-1 [&>i]:text-ink-3 [&>i]:not-italic">
          {server && (
            <>
              {!readOnly && (
                <ServerIcon name={server} className="mr-1.5 inline-block rounded-[2px] align-[-2px]" />
              )}
              <b className="font-semibold">{server}</b>
              <i aria-hidden="true">·</i>
              <span className="sr-only"> </span>
            </>
          )}
          {showInvisible(tool)}
          <span className="sr-only">
            , {item.said ? t(`said.${item.said}`) : t(`state.${stateWord(item, whole)}`)},{" "}
          </span>
        </span>
        <span data-cell="argument" className="truncate font-mono text-[12px] text-ink-3">
          {withheld?.shown === "hidden" ? (
            <span className="font-text">{t("withheld.hidden")}</span>
          ) : (
            withBlocks(argumentOf(item))
          )}
        </span>
        <span
          data-cell={item.said ? "said" : item.state === "waiting" ? "waiting" : "note"}
          className={cn(
            "text-[12px] whitespace-nowrap",
            item.state === "waiting" ? "font-semibold text-shu" : "text-ink-3",
            item.said && "phone:truncate phone:text-right",
          )}
        >
          {withheld ? withheld.shown === "summary" && t("withheld.shortened") : said(note)}
        </span>
      </LedgerLine>
      {!readOnly && <ToolApp item={item} />}
    </>
  );
});

function argumentOf({ call, args, written }: ToolView): string {
  return call.malformed ?? mainArgument(written === undefined ? args : readPartial(written));
}

function stateWord(item: ToolView, whole: boolean) {
  if (wasLeftOpen(item)) return "notRun";
  if (wasCancelled(item)) return "cancelled";
  return item.state === "writing" && whole ? "queued" : item.state;
}

function ToolNode({ item, whole }: { item: ToolView; whole: boolean }) {
  switch (item.state) {
    case "writing":
      return <Ring state={whole ? "off" : "unknown"} size={12} />;
    case "waiting":
      return <Ring state="wait" size={16} />;
    case "running":
      return item.progress?.total ? (
        <Ring state="part" size={14} progress={item.progress.progress / item.progress.total} />
      ) : (
        <Ring state="run" size={14} />
      );
    case "done":
      return <Dot />;
    case "failed":
    case "denied":
      return <Ring state="failed" size={14} />;
    case "unknown":
      return <Ring state="unknown" size={12} />;
  }
}
