"use client";

import { useFormatter, useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { cn } from "@/components/ui/cn";
import WordDiff from "@/components/ui/code/word-diff";
import { type MatchedCall, matchCalls } from "@/lib/client/run/compare-base";
import { showDuration } from "@/lib/client/run/durations";
import type { ComparedCallItem, ComparedCell, ComparedRun } from "@/lib/protocol/run-comparison";
import { showInvisible } from "@/lib/protocol/show-invisible";

export interface CompareCellProps {
  cell: ComparedCell;
  /** What it is compared with; null in the first column. */
  base: ComparedCell | null;
  run: Pick<ComparedRun, "rerunOf" | "status" | "error">;
}

/** One turn of one answer; what is as in the first answer is pale. */
export function CompareCell({ cell, base, run }: CompareCellProps) {
  const t = useTranslations("run.compare");
  const format = useFormatter();
  const { matched, missing } = matchCalls(cell.calls, base?.calls ?? []);
  return (
    <div className="space-y-1 wrap-anywhere">
      <Words cell={cell} base={base} />
      {matched.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls of a turn that has been stored keep their places
        <CallLine key={at} {...one} isFirst={base === null} run={run} />
      ))}
      {missing.map((call, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same
        <p key={at} data-difference="" tabIndex={-1} className="text-mach text-ink-3">
          {t("noCall", { tool: nameOf(call) })}
        </p>
      ))}
      <p className="text-micro text-ink-3">
        {t("tokens", {
          in: format.number(cell.usage.inputTokens),
          out: format.number(cell.usage.outputTokens),
        })}
      </p>
    </div>
  );
}

function Words({ cell: { text, textLength }, base }: Pick<CompareCellProps, "cell" | "base">) {
  const t = useTranslations("run.compare");
  if (text === "") return null;
  const cut = textLength !== undefined && <p className="meta">{t("cut", { count: textLength })}</p>;
  if (base === null || base.text === text)
    return (
      <div className={cn("leading-6 whitespace-pre-wrap", base && "text-ink-3")}>
        {text}
        {cut}
      </div>
    );
  return (
    <div data-difference="" tabIndex={-1} className="whitespace-pre-wrap">
      {base.text === "" ? text : <WordDiff before={base.text} now={text} />}
      {cut}
    </div>
  );
}

interface CallLineProps extends MatchedCall, Pick<CompareCellProps, "run"> {
  /** In the first column. */
  isFirst: boolean;
}

function CallLine({ call, isSame, was, isFirst, run }: CallLineProps) {
  const t = useTranslations("run.compare");
  const { status, sent, durationMs } = call;
  const differs = !isFirst && !isSame;
  const missed = missedAs(call, run);
  const from = status !== "ok" ? t(`status.${status}`) : sent || !run.rerunOf ? "" : t("fromTape");
  return (
    <div
      {...(differs && { "data-difference": "", tabIndex: -1 })}
      className={cn("text-mach", isSame && "text-ink-3")}
    >
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className={differs ? "font-semibold" : undefined}>{nameOf(call)}</span>
        {!was && <Arguments call={call} isNew={differs} />}
        <span className={status === "denied" || status === "error" ? "text-shu" : "text-ink-3"}>{from}</span>
        {sent && durationMs !== null && <span className="text-ink-3">{showDuration(durationMs)}</span>}
      </p>
      {was && <ChangedArguments call={call} was={was} />}
      {missed && <p>{t(`notOnTape.${missed}`)}</p>}
    </div>
  );
}

function Arguments({ call, isNew }: { call: ComparedCallItem; isNew: boolean }) {
  const written = useWritten();
  return (
    <code className={cn("min-w-0 flex-1 truncate", isNew && "font-semibold underline underline-offset-2")}>
      {written(call)}
    </code>
  );
}

/** What went and what came in the arguments. */
function ChangedArguments({ call, was }: { call: ComparedCallItem; was: ComparedCallItem }) {
  const written = useWritten();
  return (
    <div className="max-h-48 overflow-y-auto font-mono text-code thin-bar">
      <WordDiff before={written(was)} now={written(call)} />
    </div>
  );
}

function useWritten(): (call: ComparedCallItem) => string {
  const t = useTranslations("run.compare");
  return ({ args, argsLength }) =>
    argsLength === undefined
      ? showInvisible(JSON.stringify(args))
      : t("longArguments", { count: argsLength });
}

/** What became of a call that the recording does not have. */
function missedAs(
  { status, sent, missed }: ComparedCallItem,
  { rerunOf, status: runStatus, error }: CompareCellProps["run"],
) {
  if (!rerunOf) return undefined;
  if (sent) return missed ? "allowed" : "called";
  if (status === "open" && error?.code === "tape_miss") return "ended";
  if (!missed) return undefined;
  if (status === "denied") return "denied";
  return runStatus === "waiting" ? "asks" : undefined;
}

const nameOf = ({ name }: ComparedCallItem): string => {
  const { server, tool } = toolName({ name });
  return server ? `${server} · ${tool}` : tool;
};
