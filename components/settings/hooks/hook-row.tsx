"use client";

import { useFormatter, useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { Switch } from "@/components/ui/controls/switch";
import { Dot, Ring } from "@/components/ui/ring";
import { patchHook } from "@/lib/client/settings/hooks";
import type { HookItem } from "@/lib/protocol/hooks";
import { keyOf } from "./hook-dialog";

export const hookColumns = "grid-cols-[20px_minmax(0,1fr)_minmax(0,0.7fr)_132px_32px]";

/** An address as people call it. */
export function placeOf({ url }: Pick<HookItem, "url">): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname === "/" ? "" : pathname}`;
}

/** One hook; its words open what it was told. */
export function HookRow({ hook, isOpen, onOpen }: { hook: HookItem; isOpen: boolean; onOpen(): void }) {
  const t = useTranslations("settings.hooks");
  const format = useFormatter();
  const act = useAct();
  const isBad = hook.off !== null || hook.lastDay.failed > 0;
  const events = hook.events.map((event) => t(`events.${keyOf(event)}`));
  return (
    <li
      className={cn(
        "relative grid min-h-11 items-center gap-x-4 py-1 rule-t slim:grid-cols-[20px_minmax(0,1fr)_32px]",
        hookColumns,
        isOpen && "-mx-3 bg-paper-2 px-3",
      )}
    >
      <span className="grid place-items-center">
        {isBad ? (
          <Ring state="failed" size={16} />
        ) : hook.enabled ? (
          <Dot size={8} />
        ) : (
          <Ring state="off" size={14} />
        )}
      </span>
      <span className="min-w-0">
        <button
          type="button"
          aria-expanded={isOpen}
          className="block max-w-full truncate text-left font-semibold before:absolute before:inset-0"
          onClick={onOpen}
        >
          {placeOf(hook)}
        </button>
        <small className="block truncate text-micro text-ink-3">
          {t.rich("signed", { end: hook.secretEnd, code: (text) => <code>{text}</code> })}
          <span className="hidden slim:inline"> · {lastDayOf()}</span>
        </small>
      </span>
      <span className="slim:hidden">{format.list(events, { type: "conjunction", style: "narrow" })}</span>
      <span className={cn("slim:hidden", isBad ? "font-semibold text-shu" : "text-ink-2")}>
        {lastDayOf()}
      </span>
      <span className="relative flex">
        <Switch
          checked={hook.enabled}
          label={t("isOn", { address: placeOf(hook) })}
          onChange={(enabled) => void act(() => patchHook(hook.id, { enabled }))}
        />
      </span>
    </li>
  );

  function lastDayOf(): string {
    const { arrived, failed, waiting } = hook.lastDay;
    if (hook.off) return t(`off.${hook.off.reason}`);
    if (failed > 0) return t("someFailed", { failed, all: arrived + failed + waiting });
    if (waiting > 0) return t("someWait", { waiting, all: arrived + waiting });
    return t("allArrived", { count: arrived });
  }
}
