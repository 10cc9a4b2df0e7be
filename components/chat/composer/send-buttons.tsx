"use client";

import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { Key } from "@/components/ui/key";
import type { SayHow } from "@/lib/client/conversation/queue-lines";

export interface SendButtonsProps {
  /** An answer is being written. */
  runs: boolean;
  /** It is, or it waits for a person. */
  goesOn: boolean;
  hasMessage: boolean;
  canSend: boolean;
  /** What becomes of the message while an answer goes on. */
  how: SayHow;
  /** Several answer beside each other, and Stop ends all of them. */
  ofAll: boolean;
  onStop(): void;
}

/** Send; while an answer goes on Stop, and beside it what becomes of what is written. */
export function SendButtons({ runs, goesOn, hasMessage, canSend, how, ofAll, onStop }: SendButtonsProps) {
  const t = useTranslations("chat.composer");
  const compared = useTranslations("chat.compare");
  const say = useTranslations("chat.say.go");
  const stop = ofAll ? compared("stopAll") : t("stop");
  if (!goesOn)
    return (
      <button key="send" type="submit" className={goLook} disabled={!canSend}>
        {t("send")}
      </button>
    );
  const stops = { onClick: onStop, "data-stop": "", "aria-keyshortcuts": runs ? "Escape" : undefined };
  // With keys the one is not turned into the other, which would keep the focus where nothing can be pressed.
  if (!hasMessage)
    return (
      <button
        key="stop"
        type="button"
        {...stops}
        className={cn(
          goLook,
          "before:size-2.5 before:rounded-[1px] before:bg-current phone:w-11 phone:justify-center phone:p-0",
        )}
      >
        <span className="phone:sr-only">{stop}</span>
        {runs && <Key keys="Escape" on="ink" className="font-normal" />}
      </button>
    );
  return (
    <>
      <Button key="stop-beside" {...stops} className="mr-1">
        {stop}
        {runs && <Key keys="Escape" on="outline" />}
      </Button>
      <button
        key="say"
        type="submit"
        className={cn(goLook, "phone:w-11 phone:justify-center phone:p-0")}
        disabled={!canSend}
      >
        <span className="phone:sr-only">{say(how)}</span>
        <span className="hidden phone:block">
          <Icon name="arrowUp" size={18} />
        </span>
      </button>
    </>
  );
}

const goLook =
  "inline-flex h-8 flex-none items-center gap-2 rounded-control bg-ink px-3 text-mach font-semibold whitespace-nowrap text-on-ink hover:enabled:bg-ink-2 disabled:bg-paper-3 disabled:text-ink-3 phone:h-11";
