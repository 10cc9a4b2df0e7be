"use client";

import { type ReactNode, useRef } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useBudgetWords } from "@/components/chat/cards/use-asked-words";
import { Payload } from "@/components/chat/parts/payload";
import { toolName } from "@/components/chat/parts/tool-name";
import { useAmount } from "@/components/chat/parts/use-amount";
import { Pairs } from "@/components/chat/turn/pairs";
import { ToolDetail } from "@/components/chat/turn/tool-detail";
import { ToolWhy } from "@/components/chat/turn/tool-why";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { NearLink } from "@/components/ui/near-link";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useSentence } from "@/components/ui/words/sentences";
import { showDuration } from "@/lib/client/run/durations";
import type { CallStep, ModelStep, Step, WaitStep } from "@/lib/client/run/run-steps";
import type { RunView } from "@/lib/client/run/run-view";
import type { RunItem } from "@/lib/protocol/http";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { TurnRequest, TurnTabChoice, useTurnTabs } from "./request/turn-request";
import { useAnswerWord } from "./use-answer-word";
import { useStepFork } from "./use-step-fork";

export interface StepDetailProps {
  step: Step;
  run: RunItem;
  view: RunView;
  model: string;
  /** The address of the answer. */
  conversation: string;
  now: number;
  /** The turns of the run, in order. */
  turns: readonly ModelStep[];
  onPick(key: string): void;
  onClose(): void;
}

/** What a step was: under the timeline, on phones a sheet over it. */
export function StepDetail({ onClose, ...props }: StepDetailProps) {
  const { step, run, view, model, conversation, now, turns, onPick } = props;
  const t = useTranslations("run");
  const title = useTitle(step, model);
  const { action, panel } = useStepFork(step, run, view);
  const tabs = useTurnTabs(step, turns, onPick);
  const isSent = step.kind === "model" && tabs.tab !== "answer" && !panel;
  const section = useRef<HTMLElement>(null);
  // What had the focus in another turn's request is gone with it.
  const focusBack = useFocusBack(() => section.current?.focus());
  const heading = <Heading title={title} step={step} now={now} onClose={onClose} />;
  const choice = step.kind === "model" && !panel && <TurnTabChoice {...tabs} />;
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label={title}
      className={cn(
        sectionLook,
        isSent ? "min-h-[66%] phone:max-h-[80dvh]" : "min-h-[36%] phone:max-h-[50dvh]",
      )}
      {...focusBack}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onClose();
      }}
    >
      {isSent ? (
        <div className="border-t border-ink pt-2 phone:border-t-0">
          {heading}
          {choice}
          <TurnRequest place={step.place} tabs={tabs} />
        </div>
      ) : (
        <div className="grid grid-cols-[clamp(148px,27%,268px)_minmax(0,1fr)] gap-x-6 gap-y-3 border-t border-ink pt-2 phone:grid-cols-1 phone:border-t-0 wide:grid-cols-[clamp(148px,27%,268px)_minmax(0,1fr)_220px]">
          {heading}
          <div key={step.key} className="min-w-0">
            {choice}
            {panel ?? <Content step={step} />}
          </div>
          <div className="col-start-2 phone:col-start-1 wide:col-start-3">
            <Label>{t("detail.from")}</Label>
            <NearLink href={conversation} className="inline-flex min-h-6 items-center phone:min-h-11">
              {t("detail.conversation")}
            </NearLink>
            {action && <p>{action}</p>}
          </div>
        </div>
      )}
    </section>
  );
}

const sectionLook =
  "flex-1 overflow-y-auto px-6 pb-4 text-mach leading-5 outline-none thin-bar phone:absolute phone:inset-x-0 phone:bottom-0 phone:z-2 phone:min-h-0 phone:border-t phone:border-ink phone:bg-paper phone:px-4";

function Heading({
  title,
  step,
  now,
  onClose,
}: { title: string } & Pick<StepDetailProps, "step" | "now" | "onClose">) {
  const common = useTranslations("common");
  return (
    <div className="relative min-w-0 pr-8">
      <h2 className="font-voice text-[19px]/7 wrap-anywhere">{title}</h2>
      <Times step={step} now={now} />
      <IconButton
        icon="cross"
        label={common("close")}
        className="absolute -top-1 right-0"
        tipSide="right-edge"
        onClick={onClose}
      />
    </div>
  );
}

function useTitle(step: Step, model: string): string {
  const t = useTranslations("run");
  switch (step.kind) {
    case "model":
      return model || t("modelCall");
    case "wait":
      return t("wait");
    case "call": {
      const { server, tool } = toolName(step.item.call);
      return `${server} ${showInvisible(tool)}`.trim();
    }
  }
}

/** When it was, by the clock of where people are. */
function Times({ step, now }: { step: Step; now: number }) {
  const t = useTranslations("run.detail");
  const format = useFormatter();
  const word = useAnswerWord();
  if (step.from === null) return null;
  const clock = (at: number) => format.dateTime(at, { timeStyle: "medium", hourCycle: "h23" });
  return (
    <p className="meta leading-5">
      {step.to === null
        ? t("since", { from: clock(step.from) })
        : t("between", { from: clock(step.from), to: clock(step.to) })}
      <br />
      {showDuration((step.to ?? now) - step.from)}
      {step.kind === "wait" && step.answer && ` · ${word(step.answer)}`}
    </p>
  );
}

function Content({ step }: { step: Step }) {
  switch (step.kind) {
    case "model":
      return <ModelContent step={step} />;
    case "call":
      return <CallContent step={step} />;
    case "wait":
      return <WaitContent step={step} />;
  }
}

const CallContent = ({ step: { item } }: { step: CallStep }) => (
  <>
    <ToolWhy item={item} wentOn={false} />
    <ToolDetail item={item} />
  </>
);

function ModelContent({ step: { items, usage, retries } }: { step: ModelStep }) {
  const t = useTranslations("run.detail");
  const format = useFormatter();
  const amount = useAmount();
  const inWords = useSentence();
  const textOf = (kinds: string[]) =>
    items.flatMap((item) => ("text" in item && kinds.includes(item.kind) ? [item.text] : [])).join("\n\n");
  const [thoughts, words] = [textOf(["reasoning"]).trim(), textOf(["text", "json"]).trim()];
  const used = [
    [t("inputTokens"), format.number(usage.inputTokens)] as const,
    ...(usage.cachedInputTokens
      ? [[t("cachedTokens"), format.number(usage.cachedInputTokens)] as const]
      : []),
    [t("outputTokens"), format.number(usage.outputTokens)] as const,
    ...(usage.cost === undefined ? [] : [[t("cost"), amount("cost", usage.cost)] as const]),
  ];
  return (
    <div className="flex flex-col gap-3">
      {thoughts && (
        <div>
          <Label>{t("thoughts")}</Label>
          <Payload text={thoughts} />
        </div>
      )}
      <div>
        <Label>{t("words")}</Label>
        {words ? <Payload text={words} /> : <p className="text-ink-2">{t("noWords")}</p>}
      </div>
      <div>
        <Label>{t("usage")}</Label>
        <Pairs className="text-ink-2" pairs={used} />
      </div>
      {retries.length > 0 && (
        <div>
          <Label>{t("retries")}</Label>
          {retries.map(({ at, message }) => (
            <p key={at}>{inWords(message)}</p>
          ))}
        </div>
      )}
    </div>
  );
}

/** What was asked, and what was sent where a person has changed it. */
function WaitContent({ step: { request, answer } }: { step: WaitStep }) {
  const t = useTranslations("run.detail");
  const budget = useBudgetWords();
  const args = request.type === "approval_request" ? request.call.args : null;
  const sent = answer?.args ?? answer?.plan ?? answer?.input?.content;
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Label>{t("asked")}</Label>
        {request.type === "input_request" && <p className="text-ink">{request.message}</p>}
        {request.type === "budget_request" && <p className="text-ink">{budget(request).what}</p>}
        {request.type === "approval_request" && (
          <p className="font-mono text-[12px]/5 wrap-anywhere text-ink">{toolName(request.call).tool}</p>
        )}
        {args && <Pairs className="font-mono text-[12px]/5 text-ink-2" pairs={pairsOf(args)} />}
      </div>
      {sent && (
        <div>
          <Label>{t("sent")}</Label>
          <Pairs className="font-mono text-[12px]/5 text-ink-2" pairs={pairsOf(sent)} />
        </div>
      )}
      {answer?.text && <p className="wrap-anywhere text-ink">{answer.text}</p>}
    </div>
  );
}

const pairsOf = (args: Record<string, unknown>) =>
  Object.entries(args).map(
    ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value, null, 2)] as const,
  );

const Label = ({ children }: { children: ReactNode }) => <p className="text-micro text-ink-3">{children}</p>;
