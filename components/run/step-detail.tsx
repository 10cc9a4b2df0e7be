"use client";

import { useRef } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { NearLink } from "@/components/ui/near-link";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { showDuration } from "@/lib/client/run/durations";
import type { TurnTab } from "@/lib/client/run/opened-step";
import type { ModelStep, Step } from "@/lib/client/run/run-step";
import type { RunView } from "@/lib/client/run/run-view";
import type { RunItem } from "@/lib/protocol/http";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { TurnRequest, TurnTabChoice, useTurnTabs } from "./request/turn-request";
import { StepContent } from "./step-content";
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
  /** What is shown of a turn. */
  tab: TurnTab;
  onTab(tab: TurnTab): void;
  onPick(key: string): void;
  onClose(): void;
}

/** What a step was: under the timeline, on phones a sheet over it. */
export function StepDetail({ onClose, ...props }: StepDetailProps) {
  const { step, run, view, model, conversation, now } = props;
  const t = useTranslations("run");
  const title = useTitle(step, model);
  const { action, panel } = useStepFork(step, run, view);
  const tabs = useTurnTabs(props);
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
          <TurnRequest place={step.place} isOver={step.to !== null} tabs={tabs} />
        </div>
      ) : (
        <div className="grid grid-cols-[clamp(148px,27%,268px)_minmax(0,1fr)] gap-x-6 gap-y-3 border-t border-ink pt-2 phone:grid-cols-1 phone:border-t-0 wide:grid-cols-[clamp(148px,27%,268px)_minmax(0,1fr)_220px]">
          {heading}
          <div key={step.key} className="min-w-0">
            {choice}
            {panel ?? <StepContent step={step} view={view} />}
          </div>
          <div className="col-start-2 phone:col-start-1 wide:col-start-3">
            <p className="text-micro text-ink-3">{t("detail.from")}</p>
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
