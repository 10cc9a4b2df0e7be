"use client";

import { type ReactNode, useMemo } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useBudgetWords } from "@/components/chat/cards/use-asked-words";
import { Payload } from "@/components/chat/parts/payload";
import { toolName } from "@/components/chat/parts/tool-name";
import { useAmount } from "@/components/chat/parts/use-amount";
import { Pairs } from "@/components/chat/turn/pairs";
import { PlanLine, PlanSteps } from "@/components/chat/turn/plan-line";
import { ToolDetail } from "@/components/chat/turn/tool-detail";
import { ToolWhy } from "@/components/chat/turn/tool-why";
import { useSentence } from "@/components/ui/words/sentences";
import { plansOf, proposesPlan } from "@/lib/client/run/plan-view";
import type { CallStep, ModelStep, Step, WaitStep } from "@/lib/client/run/run-step";
import type { RunView } from "@/lib/client/run/run-view";
import { callOf } from "@/lib/protocol/pending-requests";

/** What a step was, of a plan the plan itself. */
export function StepContent({ step, view }: { step: Step; view: RunView }) {
  switch (step.kind) {
    case "model":
      return <ModelContent step={step} />;
    case "call":
      return <CallContent step={step} view={view} />;
    case "wait":
      return <WaitContent step={step} view={view} />;
  }
}

interface OfCallProps<S extends Step> {
  step: S;
  view: RunView;
}

function CallContent({ step: { item }, view }: OfCallProps<CallStep>) {
  const plan = useMemo(() => (proposesPlan(item) ? plansOf(view).get(item.id) : undefined), [item, view]);
  if (plan) return <PlanLine plan={plan} />;
  return (
    <>
      <ToolWhy item={item} wentOn={false} />
      <ToolDetail item={item} />
    </>
  );
}

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
function WaitContent({ step: { request, answer }, view }: OfCallProps<WaitStep>) {
  const t = useTranslations("run.detail");
  const budget = useBudgetWords();
  const proposed = request.type === "approval_request" ? request.plan : undefined;
  const args = request.type === "approval_request" && !proposed ? request.call.args : null;
  const sent = answer?.args ?? answer?.input?.content;
  const id = callOf(request);
  const plan = useMemo(() => (proposed && id ? plansOf(view).get(id) : undefined), [proposed, id, view]);
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
        {proposed && <PlanSteps steps={proposed.steps} />}
      </div>
      {sent && (
        <div>
          <Label>{t("sent")}</Label>
          <Pairs className="font-mono text-[12px]/5 text-ink-2" pairs={pairsOf(sent)} />
        </div>
      )}
      {plan && <PlanLine plan={plan} />}
      {answer?.text && <p className="wrap-anywhere text-ink">{answer.text}</p>}
    </div>
  );
}

const pairsOf = (args: Record<string, unknown>) =>
  Object.entries(args).map(
    ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value, null, 2)] as const,
  );

const Label = ({ children }: { children: ReactNode }) => <p className="text-micro text-ink-3">{children}</p>;
