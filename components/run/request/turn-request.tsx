"use client";

import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Choice } from "@/components/ui/controls/choice";
import { CopyButton, copyText } from "@/components/ui/controls/copy-button";
import { notify, notifyFailure } from "@/components/ui/toast";
import type { TurnTab } from "@/lib/client/run/opened-step";
import type { ModelStep, Step, TurnPlace } from "@/lib/client/run/run-step";
import { RequestView } from "./request-view";
import { useRequest } from "./use-request";

export interface TurnTabs {
  tab: TurnTab;
  setTab(tab: TurnTab): void;
  /** The turn before; null for the first. */
  previous: TurnPlace | null;
}

export interface TurnTabsProps {
  step: Step;
  turns: readonly ModelStep[];
  /** The one that was chosen; the first turn does not have it if it shows what has changed. */
  tab: TurnTab;
  onTab(tab: TurnTab): void;
  onPick(key: string): void;
}

/**
 * The tab stays from turn to turn. `[` and `]` change it, J and K go to the next turn and the one before, wherever the focus
 * is but in a field.
 */
export function useTurnTabs({ step, turns, tab: chosen, onTab, onPick }: TurnTabsProps): TurnTabs {
  const at = turns.findIndex(({ key }) => key === step.key);
  const previous = turns[at - 1]?.place ?? null;
  const tabs = tabsOf(previous);
  const tab = at < 0 ? "answer" : tabs.includes(chosen) ? chosen : "sent";
  const onKey = (event: KeyboardEvent) => {
    if (at < 0 || !isOurs(event)) return;
    const place = tabs.indexOf(tab);
    const next = { j: turns[at + 1], k: turns[at - 1] }[event.key];
    const shown = { "[": tabs[place - 1], "]": tabs[place + 1] }[event.key];
    if (next) onPick(next.key);
    if (shown) onTab(shown);
    if (next || shown) event.preventDefault();
  };
  useDocumentKey(onKey);
  return { tab, setTab: onTab, previous };
}

const tabsOf = (previous: TurnPlace | null): TurnTab[] =>
  previous ? ["answer", "sent", "changed", "wire"] : ["answer", "sent", "wire"];

export function TurnTabChoice({ tab, setTab, previous }: TurnTabs) {
  const t = useTranslations("run.request");
  const words = { answer: t("answer"), sent: t("sent"), changed: t("changedSince"), wire: t("wire.tab") };
  return (
    <Choice<TurnTab>
      label={t("tabs")}
      options={tabsOf(previous).map((value) => ({ value, label: words[value] }))}
      value={tab}
      onChange={setTab}
    />
  );
}

/** What the model was sent in a turn; C copies it. */
export function TurnRequest({
  place,
  isOver,
  tabs: { tab, previous },
}: {
  place: TurnPlace;
  isOver: boolean;
  tabs: TurnTabs;
}) {
  const t = useTranslations("run.request");
  const common = useTranslations("common");
  const read = useRequest(place, previous, isOver);
  const { request } = read;
  const hasText = request && (tab !== "wire" || request.wire !== null);
  const text = () => {
    const { wire, ...sent } = request ?? {};
    return JSON.stringify(tab === "wire" ? wire : sent, null, 2);
  };
  useDocumentKey((event) => {
    if (event.key !== "c" || !hasText || !isOurs(event)) return;
    copyText(text()).then(
      () => notify(common("copied")),
      () => notifyFailure(common("copyFailed")),
    );
  });
  return (
    <div className="relative pt-3">
      {hasText && (
        <CopyButton label={t("copy")} text={text} className="absolute -top-7 right-0 phone:-top-9" />
      )}
      <RequestView key={`${place.runId} ${place.index}`} read={read} tab={tab === "answer" ? "sent" : tab} />
    </div>
  );
}

function useDocumentKey(onKey: (event: KeyboardEvent) => void): void {
  const current = useRef(onKey);
  useEffect(() => {
    current.current = onKey;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => current.current(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

/** Not what is typed into a field or meant for a dialog, and no chord. */
const isOurs = ({
  defaultPrevented,
  altKey,
  ctrlKey,
  metaKey,
  isComposing,
  target,
}: KeyboardEvent): boolean =>
  !(defaultPrevented || altKey || ctrlKey || metaKey || isComposing) &&
  target instanceof Element &&
  !target.closest("input:not([type=radio]), textarea, select, [contenteditable], dialog, [role=menu]");
