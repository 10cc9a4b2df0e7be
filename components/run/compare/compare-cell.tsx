"use client";

import { useFormatter, useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { cn } from "@/components/ui/cn";
import WordDiff from "@/components/ui/code/word-diff";
import { isSameCall } from "@/lib/client/run/compare-base";
import { showDuration } from "@/lib/client/run/durations";
import type { ComparedCallItem, ComparedCell } from "@/lib/protocol/run-comparison";
import { showInvisible } from "@/lib/protocol/show-invisible";

export interface CompareCellProps {
  cell: ComparedCell;
  /** What it is compared with; null in the first column. */
  base: ComparedCell | null;
  /** It takes its results from a recording. */
  isTape: boolean;
}

/** One turn of one answer; what is as in the first answer is pale. */
export function CompareCell({ cell, base, isTape }: CompareCellProps) {
  const t = useTranslations("run.compare");
  const format = useFormatter();
  const missing = base ? base.calls.filter((call) => !cell.calls.some((own) => isSameCall(own, call))) : [];
  return (
    <div className="space-y-1 wrap-anywhere">
      <Words cell={cell} base={base} />
      {cell.calls.map((call, at) => (
        <CallLine
          // biome-ignore lint/suspicious/noArrayIndexKey: calls of a turn that has been stored keep their places
          key={at}
          call={call}
          isSame={base?.calls.some((other) => isSameCall(call, other))}
          isTape={isTape}
        />
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

interface CallLineProps {
  call: ComparedCallItem;
  /** Undefined in the first column. */
  isSame: boolean | undefined;
  isTape: boolean;
}

function CallLine({ call, isSame, isTape }: CallLineProps) {
  const t = useTranslations("run.compare");
  const { name, args, argsLength, status, sent, durationMs } = call;
  const { server, tool } = toolName({ name });
  const differs = isSame === false;
  const told = argsLength === undefined ? JSON.stringify(args) : t("longArguments", { count: argsLength });
  const from = status !== "ok" ? t(`status.${status}`) : sent || !isTape ? "" : t("fromTape");
  return (
    <p
      {...(differs && { "data-difference": "", tabIndex: -1 })}
      className={cn("flex flex-wrap items-baseline gap-x-2 text-mach", isSame && "text-ink-3")}
    >
      <span className={differs ? "font-semibold" : undefined}>{server ? `${server} · ${tool}` : tool}</span>
      <code
        className={cn("min-w-0 flex-1 truncate", differs && "font-semibold underline underline-offset-2")}
      >
        {showInvisible(told)}
      </code>
      <span className={status === "denied" || status === "error" ? "text-shu" : "text-ink-3"}>{from}</span>
      {sent && durationMs !== null && <span className="text-ink-3">{showDuration(durationMs)}</span>}
    </p>
  );
}

const nameOf = ({ name }: ComparedCallItem): string => {
  const { server, tool } = toolName({ name });
  return server ? `${server} · ${tool}` : tool;
};
