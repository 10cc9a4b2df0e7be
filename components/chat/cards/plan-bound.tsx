"use client";

import { useId, useState } from "react";
import { useTranslations } from "use-intl";
import { isEnter } from "@/components/chat/parts/is-send-key";
import { Button } from "@/components/ui/controls/button";
import { type PlanDraft, useOpenArguments } from "./use-plan-draft";

/** One more argument of a step that has exactly one value. */
export function PlanBound({ draft, onDone }: { draft: PlanDraft; onDone(): void }) {
  const t = useTranslations("chat.card.plan");
  const list = useId();
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      draft.steps.findIndex(({ isRemoved }) => !isRemoved),
    ),
  );
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const step = draft.steps[at];
  const open = useOpenArguments(step?.proposed.tool ?? "", step?.fixed ?? {});
  const canAdd = step !== undefined && !step.isRemoved && name !== "" && !Object.hasOwn(step.fixed, name);
  const add = () => {
    if (!canAdd) return;
    const isText = open.find(([each]) => each === name)?.[1] ?? false;
    draft.change(at, { fixed: { ...step.fixed, [name]: isText ? text : asJson(text) } });
    onDone();
  };
  return (
    <div className="grid grid-cols-[64px_176px_minmax(0,1fr)_auto] items-end gap-2 py-2 text-micro text-ink-2 shadow-[inset_0_-1px_var(--line)] phone:grid-cols-2">
      <label className="grid gap-1">
        {t("boundOf")}
        <select className="field bg-paper" value={at} onChange={({ target }) => setAt(Number(target.value))}>
          {draft.steps.map((each, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a proposal stay as many
            <option key={index} value={index} disabled={each.isRemoved}>
              {index + 1}
            </option>
          ))}
        </select>
      </label>
      <label className="grid gap-1">
        {t("boundName")}
        <input
          className="field bg-paper font-mono text-[12px]"
          list={list}
          autoComplete="off"
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <datalist id={list}>
          {open.map(([each]) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </label>
      <label className="grid gap-1" title={t("boundHint")}>
        {t("boundValue")}
        <input
          className="field bg-paper font-mono text-[12px]"
          autoComplete="off"
          maxLength={4000}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.ctrlKey || event.metaKey || !isEnter(event)) return;
            event.preventDefault();
            add();
          }}
        />
      </label>
      <Button disabled={!canAdd} onClick={add}>
        {t("boundAdd")}
      </Button>
    </div>
  );
}

/** What is no JSON is text. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
