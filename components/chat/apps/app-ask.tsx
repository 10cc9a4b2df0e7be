"use client";

import { useEffect, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { payloadLook } from "@/components/chat/parts/payload";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { Ring } from "@/components/ui/ring";
import { useGap } from "@/components/ui/words/use-gap";
import type { AppQuestion, AppSaid } from "./use-asks";

export interface AppAskProps {
  server: string;
  ask: AppQuestion;
  say(said: AppSaid): void;
}

/** A question of an app, under its frame and never over the page: who asks, for what exactly, and the answers. */
export function AppAsk({ server, ask, say }: AppAskProps) {
  const t = useTranslations("chat.app");
  const card = useTranslations("chat.card");
  const id = useId();
  const isArmed = useArmed();
  const title = ask.kind === "call" ? t("mayCall", { server }) : t("mayOpen", { server });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot carry its title as a heading
    <div role="group" aria-labelledby={id} className={askLook}>
      <h3 id={id} className={askTitleLook}>
        <Ring state="wait" size={16} />
        <span>{title}</span>
      </h3>
      {ask.kind === "call" ? (
        <Call server={server} ask={ask} />
      ) : (
        <pre className={cn(payloadLook, "mt-1 max-h-50")}>{ask.url}</pre>
      )}
      <div className={askActsLook}>
        <Button
          tone="ink"
          disabled={!isArmed}
          onClick={() => {
            // Within the click, so that no browser takes it for a pop-up.
            if (ask.kind === "link") window.open(ask.url, "_blank", "noopener,noreferrer");
            say("once");
          }}
        >
          {ask.kind === "call" ? card("once") : t("openLink")}
        </Button>
        {ask.kind === "call" && ask.reason === "rule" && (
          <Button disabled={!isArmed} onClick={() => say("always")}>
            {card("always")}
          </Button>
        )}
        <Button onClick={() => say("no")}>{card("deny")}</Button>
      </div>
      <p className="sr-only" role="alert">
        {card("announce", { asks: "consent", title })}
      </p>
    </div>
  );
}

export const askLook = "flex-none rounded-control border border-shu-rule bg-shu-wash px-4 py-3";
export const askTitleLook = "flex items-center gap-2 font-voice text-[17px]/6 text-pretty text-ink";
/** The first goes on; the others are paper on the wash. */
export const askActsLook = "mt-3 flex flex-wrap gap-2 [&>button+button]:bg-paper";

/** A click that was on its way when the question came up is no answer to it. */
function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), 500);
    return () => clearTimeout(timer);
  }, []);
  return isArmed;
}

function Call({ server, ask }: { server: string; ask: Extract<AppQuestion, { kind: "call" }> }) {
  const t = useTranslations("chat.app");
  const gap = useGap();
  return (
    <>
      <p className="mt-1 mb-2 text-mach text-ink-2">
        <b className="font-semibold text-ink">{`${server} · ${ask.tool}`}</b>
        {ask.reason === "changed_definition" && `${gap}${t("changed")}`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre className={cn(payloadLook, "mt-1 max-h-50")} tabIndex={0}>
        {JSON.stringify(ask.args, null, 2)}
      </pre>
    </>
  );
}
