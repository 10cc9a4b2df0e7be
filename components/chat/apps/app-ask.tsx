"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/button";
import { Ring } from "@/components/ui/ring";
import type { AppSaid, AppAsk as Ask } from "./use-asks";

export interface AppAskProps {
  server: string;
  ask: Ask;
  onSay(said: AppSaid): void;
}

/** A question of an app, under its frame and never over the page: who asks, for what exactly, and the answers. */
export function AppAsk({ server, ask, onSay }: AppAskProps) {
  const t = useTranslations("chat.app");
  const card = useTranslations("chat.card");
  const id = useId();
  const title = ask.kind === "call" ? t("mayCall", { server }) : t("mayOpen", { server });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot carry its title as a heading
    <div role="group" aria-labelledby={id} className="mcp-app-ask">
      <h3 id={id} className="mcp-app-ask-title">
        <Ring state="wait" size={16} />
        <span>{title}</span>
      </h3>
      {ask.kind === "call" ? (
        <Call server={server} ask={ask} />
      ) : (
        <pre className="payload mcp-app-url">{ask.url}</pre>
      )}
      <div className="mcp-app-ask-acts">
        <Button tone="ink" onClick={() => onSay("once")}>
          {ask.kind === "call" ? card("once") : t("openLink")}
        </Button>
        {ask.kind === "call" && ask.reason === "rule" && (
          <Button onClick={() => onSay("always")}>{card("always")}</Button>
        )}
        <Button onClick={() => onSay("no")}>{card("deny")}</Button>
      </div>
      <p className="sr-only" role="alert">
        {card("announce", { title })}
      </p>
    </div>
  );
}

function Call({ server, ask }: { server: string; ask: Extract<Ask, { kind: "call" }> }) {
  const t = useTranslations("chat.app");
  return (
    <>
      <p className="seal-what">
        <b className="font-semibold text-ink">{`${server} · ${ask.tool}`}</b>
        {ask.reason === "changed_definition" && ` ${t("changed")}`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre className="payload mcp-app-args" tabIndex={0}>
        {JSON.stringify(ask.args, null, 2)}
      </pre>
    </>
  );
}
