"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useNow } from "@/components/chat/parts/use-now";
import { Result } from "@/components/chat/turn/tool-result";
import { CodeBlock } from "@/components/ui/code/code-block";
import { TextButton } from "@/components/ui/controls/text-button";
import { Ring } from "@/components/ui/ring";
import { showDuration } from "@/lib/client/run/durations";
import { onlyText } from "@/lib/client/run/read-json";
import { tokensOf } from "@/lib/protocol/count-tokens";
import type { McpRawMessage, McpTriedCall } from "@/lib/protocol/mcp-offers";
import type { Trial } from "./use-try";

/** How the call goes, and what came back: as it reads best, or as it went over the wire. */
export function TryOutcome({ trial, server }: { trial: Trial | null; server: string }) {
  const t = useTranslations("server.outcome");
  const [raw, setRaw] = useState(false);
  if (!trial) return null;
  return (
    <section aria-label={t("label")} className="mt-4 grid gap-2 pt-2 rule-t *:min-w-0">
      <div className="flex items-center gap-3" role="status">
        {trial.status === "running" ? <Running trial={trial} /> : <Ended trial={trial} />}
        <span className="flex-1" />
        {trial.status !== "running" && (
          <TextButton aria-pressed={raw} onClick={() => setRaw(!raw)}>
            {t("raw")}
          </TextButton>
        )}
      </div>
      {trial.failure && (
        <p className="text-mach" role="alert">
          {trial.failure}
        </p>
      )}
      {trial.status !== "running" && raw && <Wire raw={trial.raw} />}
      {trial.result && !raw && <Shown result={trial.result} server={server} />}
    </section>
  );
}

function Running({ trial: { progress, startedAt } }: { trial: Trial }) {
  const t = useTranslations("server.outcome");
  const now = useNow(true, 100);
  const { total, progress: done = 0, message } = progress ?? {};
  return (
    <>
      {total ? (
        <Ring state="part" size={14} progress={Math.min(1, done / total)} />
      ) : (
        <Ring state="run" size={14} />
      )}
      <b className="font-semibold">{t("running")}</b>
      {progress && <span>{total ? t("progress", { done, total }) : t("step", { done })}</span>}
      {message && <span className="min-w-0 truncate text-ink-2">{message}</span>}
      <span className="text-ink-3" aria-hidden="true">
        {showDuration(Math.max(0, now - startedAt))}
      </span>
    </>
  );
}

function Ended({ trial: { status, result } }: { trial: Trial }) {
  const t = useTranslations("server.outcome");
  const facts = useTranslations("server.facts");
  if (status === "cancelled") return <span>{t("cancelled")}</span>;
  if (!result) return <b className="font-semibold text-shu">{t("error")}</b>;
  return (
    <>
      <b className={result.status === "ok" ? "font-semibold" : "font-semibold text-shu"}>
        {t(result.status)}
      </b>
      <span className="text-ink-3">{showDuration(result.durationMs)}</span>
      <span className="text-ink-3">{facts("tokens", { count: tokensOf(onlyText(result.content)) })}</span>
    </>
  );
}

function Shown({ result, server }: { result: McpTriedCall; server: string }) {
  const t = useTranslations("server.outcome");
  if (result.content.length === 0 && result.structured === undefined)
    return <p className="text-ink-3">{t("empty")}</p>;
  return (
    <div className="flex flex-col gap-2">
      <Result result={result} server={server} />
    </div>
  );
}

/** The call and its answer as JSON-RPC; a call that was repeated has several of both. */
function Wire({ raw }: { raw: readonly McpRawMessage[] }) {
  const t = useTranslations("server.outcome");
  if (raw.length === 0) return <p className="text-ink-3">{t("notSent")}</p>;
  return raw.map(({ direction, message }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: messages only ever come at the end
    <div key={at}>
      <p className="text-micro text-ink-3">{t(direction)}</p>
      {message === null ? (
        <p>{t("tooLarge")}</p>
      ) : (
        <CodeBlock language="json">
          <code>{JSON.stringify(message, null, 2)}</code>
        </CodeBlock>
      )}
    </div>
  ));
}
