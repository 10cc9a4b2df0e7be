"use client";

import { useContext, useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import {
  Forker,
  type ForkPart,
  type ForkPlaceAt,
  type ForkPlaceProps,
} from "@/components/chat/turn/fork-context";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { pressForm } from "@/components/ui/press-form";
import { useErrorText } from "@/components/ui/words/use-error-text";
import type { ForkRequest } from "@/lib/client/conversation/fork-answer";
import type { LoopView, ToolView } from "@/lib/client/run/run-view";
import { ArgumentsEdit } from "./arguments-edit";
import { ForkPlan } from "./fork-plan";
import { TextEdit } from "./text-edit";
import { useForkDraft } from "./use-fork-draft";

/** Where the person says what the model had seen, asked for or said instead; opens in place, under the line it is about. */
export default function ForkPanel({ answer, at, busy, onChange }: ForkPlaceProps) {
  const loop = answer.view.loops.find(({ number }) => number === at.loop);
  if (!loop) return null;
  const call = loop.items.find((item) => item.kind === "tool" && item.id === at.call);
  return (
    <Panel
      answer={answer}
      at={at}
      busy={busy}
      onChange={onChange}
      loop={loop}
      call={call?.kind === "tool" ? call : null}
    />
  );
}

interface PanelProps extends ForkPlaceProps {
  loop: LoopView;
  call: ToolView | null;
}

function Panel({ answer, at, busy, onChange, loop, call }: PanelProps) {
  const t = useTranslations("chat.fork");
  const common = useTranslations("common");
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [model, setModel] = useState(answer.model);
  const draft = useForkDraft(loop, call);
  const { part } = at;
  const close = () => {
    const opener = openerOf(panel.current, at);
    onChange(null);
    opener?.focus();
  };
  const { isSending, error, fork } = useFork(close);
  const edit = draft.editOf(part);
  const canFork = !busy && !isSending && !draft.isBroken(part) && (part !== "text" || edit !== undefined);
  const submit = () => {
    if (canFork)
      void fork({ loop, ...(edit && { edit }), ...(model && model !== answer.model && { model }) });
  };
  useFocusField(panel);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this is
    <div
      ref={panel}
      role="group"
      aria-labelledby={id}
      className="relative mt-1 mb-3 animate-[appear_var(--fast)_var(--ease)] pt-3 pb-4 shadow-[inset_0_1px_var(--ink),inset_0_-1px_var(--rule)]"
      onKeyDown={(event) => pressForm(event, submit, close)}
    >
      <div className="flex flex-wrap items-baseline gap-x-4">
        <h3 id={id} className="min-w-0 flex-1 font-voice text-voice phone:basis-full">
          {t(`title.${part}`)}
        </h3>
        <Choice
          label={t("what")}
          options={partsOf(call).map((value) => ({
            value,
            label: t(`part.${value}`, { loop: loop.number }),
          }))}
          value={part}
          onChange={(next) => onChange({ ...at, part: next })}
        />
      </div>
      <div data-edited="" className="mt-2">
        {part === "args" ? (
          <ArgumentsEdit args={draft.args} />
        ) : (
          <TextEdit key={part} label={t(`field.${part}`)} draft={draft[part]} isWords={part === "text"} />
        )}
        {part === "result" && draft.leavesFiles && <p className="meta">{t("withoutFiles")}</p>}
        {error && (
          <p role="alert" className="pt-1 text-mach text-shu">
            {error}
          </p>
        )}
      </div>
      <ForkPlan part={part} loop={loop} isEdited={edit !== undefined} model={model} setModel={setModel} />
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <Button tone="ink" keys="Mod+Enter" disabled={!canFork} aria-busy={isSending} onClick={submit}>
          {t("go")}
        </Button>
        <Button keys="Escape" onClick={close}>
          {common("cancel")}
        </Button>
      </div>
    </div>
  );
}

const partsOf = (call: ToolView | null): ForkPart[] => {
  if (!call) return ["text"];
  return [
    ...(call.result ? (["result"] as const) : []),
    ...(call.call.malformed === undefined ? (["args"] as const) : []),
    "text",
  ];
};

/** The line of the call, or what forks at the words. */
function openerOf(panel: HTMLElement | null, { loop, call }: ForkPlaceAt): HTMLElement | null {
  const turn = panel?.closest("article");
  const name = call === null ? `[data-fork-words="${loop}"]` : `[data-call="${CSS.escape(call)}"]`;
  return turn?.querySelector<HTMLElement>(name) ?? null;
}

/** Sends once; what failed is said, and everything that was typed stays. */
function useFork(onDone: () => void) {
  const forker = useContext(Forker);
  const errorText = useErrorText();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isSent = useRef(false);
  const fork = async (request: ForkRequest) => {
    if (!forker || isSent.current) return;
    isSent.current = true;
    setSending(true);
    setError(null);
    try {
      await forker.fork(request);
      onDone();
    } catch (cause) {
      setError(errorText(cause));
    } finally {
      isSent.current = false;
      setSending(false);
    }
  };
  return { isSending, error, fork };
}

function useFocusField(panel: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const edited = panel.current?.querySelector("[data-edited]");
    edited?.querySelector<HTMLElement>("textarea, input, button")?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: "nearest" });
  }, [panel]);
}
