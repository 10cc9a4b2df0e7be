"use client";

import { useFormatter, useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { TextButton } from "@/components/ui/controls/text-button";
import { Icon } from "@/components/ui/icon";
import { usePageRuns } from "@/components/ui/use-page-runs";
import { type ForkView, isKept } from "@/lib/client/run/messages-to-turns";
import { onlyText } from "@/lib/client/run/read-json";
import type { LoopView, RunView, ToolView } from "@/lib/client/run/run-view";
import { shortChange } from "@/lib/client/text/short-change";
import { showInvisible } from "@/lib/protocol/show-invisible";

export interface OriginLineProps {
  fork: ForkView;
  view: RunView;
  busy: boolean;
  onShow(messageId: string): void;
}

/** Under the question of a fork: at which step it was forked, what became what, and the way back. */
export function OriginLine({ fork, view, busy, onShow }: OriginLineProps) {
  const t = useTranslations("chat.fork.origin");
  const { messageId } = fork.from;
  return (
    <div className="relative -mt-1 mb-1 flex min-h-8 items-baseline gap-3 py-1 text-mach leading-6 text-ink-2 shadow-[inset_0_1px_var(--rule),inset_0_-1px_var(--rule)]">
      <span className="absolute top-2 left-[calc(2px-var(--gutter))] bg-paper text-ink">
        <Icon name="fork" />
      </span>
      <p className="min-w-0 flex-1 truncate phone:whitespace-normal phone:wrap-anywhere">
        <Words fork={fork} view={view} />
      </p>
      {messageId !== undefined && (
        <TextButton
          className="self-baseline text-mach leading-6"
          disabled={busy}
          onClick={() => onShow(messageId)}
        >
          {t("original")}
        </TextButton>
      )}
    </div>
  );
}

function Words({ fork, view }: Pick<OriginLineProps, "fork" | "view">) {
  const t = useTranslations("chat.fork.origin");
  const format = useFormatter();
  // The server does not know what time it is where people are.
  const runs = usePageRuns();
  const time = runs ? format.dateTime(fork.at, { timeStyle: "short", hourCycle: "h23" }) : "–";
  const { edit, agent } = fork.from;
  const at = edit && edit.part !== "text" ? findCall(view, "as" in edit ? edit.as : edit.callId) : undefined;
  const loop =
    at?.loop.number ?? view.loops.findLast((each) => isKept(fork, each) && each.agent === agent)?.number ?? 1;
  const values = { loop, time };
  if (edit?.part === "text") return t("text", values);
  if (!edit || !at) return t("none", values);
  const { server, tool } = toolName(at.item.call);
  return t.rich(edit.part, {
    ...values,
    place: showInvisible(server ? `${server} · ${tool}` : tool),
    b: (words) => <b className="font-semibold text-ink">{words}</b>,
    change: () => <Change {...changeOf(at.item)} />,
  });
}

function Change({ was, now }: { was: string; now: string }) {
  return (
    <>
      {was && <s className="text-ink-3">{was}</s>}
      {was && now && " "}
      {now && <b className="font-semibold text-ink">{now}</b>}
    </>
  );
}

/** The history holds what the model had asked for beside what ran; of a result only the new one. */
function changeOf({ call, result }: ToolView): { was: string; now: string } {
  if (result?.by === "person") return shortChange("", onlyText(result.content));
  return shortChange(valuesOf(call.args), valuesOf(result?.args ?? call.args));
}

const valuesOf = (args: Record<string, unknown>): string =>
  Object.values(args)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" ");

function findCall({ loops }: RunView, id: string): { loop: LoopView; item: ToolView } | undefined {
  for (const loop of loops)
    for (const item of loop.items) if (item.kind === "tool" && item.id === id) return { loop, item };
  return undefined;
}
