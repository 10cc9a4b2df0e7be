"use client";

import { useMemo, useSyncExternalStore } from "react";
import { useTranslations } from "use-intl";
import { Bar } from "@/components/shell/bar";
import { buttonClass, iconButtonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { LoadFailed } from "@/components/ui/load-failed";
import { NearLink } from "@/components/ui/near-link";
import { Skeleton } from "@/components/ui/skeleton";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useModels } from "@/lib/client/conversation/models";
import { RunLog, type RunLogState } from "@/lib/client/run/run-log";
import type { RunView } from "@/lib/client/run/run-view";
import type { RunItem } from "@/lib/protocol/http";
import { isTemporaryId } from "@/lib/protocol/temporary";
import { RunBody } from "./run-body";

/** One run, from its question to its end: what took how long, what it cost, and what was said. */
export function RunPage({ id }: { id: string }) {
  const t = useTranslations("run");
  const log = useMemo(() => new RunLog(id), [id]);
  const state = useSyncExternalStore(log.subscribe, log.snapshot, log.snapshot);
  const { run, view } = state;
  const model = useModelName(run);
  const by = useAsker(run);
  const name = t("name", { id: id.slice(-4) });
  const title = run?.question || name;
  // What is not there says so by a heading of its own.
  const isMissing = state.phase === "failed" && state.error?.status === 404;
  return (
    <>
      <title>{`${title} · Meguri`}</title>
      <Bar
        title={run || !isMissing ? title : "\u00a0"}
        meta={run && [name, model, by, t(`status.${statusWord(view)}`)].filter(Boolean).join(" · ")}
        waits={view.status === "waiting"}
        back={run && <Back href={placeOf(run)} />}
      >
        {run && view.status === "waiting" && (
          // Programs and notifications lead here; what is asked stands in the conversation.
          <NearLink href={placeOf(run)} className={buttonClass("ink", true)}>
            {t("answerIt")}
          </NearLink>
        )}
        {run && !isTemporaryId(run.conversationId) && <Export id={run.id} />}
      </Bar>
      <Content state={state} log={log} model={model} name={name} />
    </>
  );
}

interface ContentProps {
  state: RunLogState;
  log: RunLog;
  model: string;
  name: string;
}

function Content({ state, log, ...names }: ContentProps) {
  const t = useTranslations("run");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const { phase, error, run } = state;
  const retry = () => log.start();
  if (phase === "loading" || !run)
    return phase === "failed" ? (
      <Failed state={state} onRetry={retry} />
    ) : (
      <div className="px-6 pt-5 phone:px-4">
        <Skeleton lines={8} height={24} label={common("loading")} />
      </div>
    );
  return (
    <>
      {error && (
        <LoadFailed
          className="px-6 pt-3 phone:px-4"
          text={t("lost", { reason: errorText(error) })}
          onRetry={retry}
        />
      )}
      <RunBody state={state} run={run} conversation={placeOf(run)} {...names} />
    </>
  );
}

function Failed({ state: { error }, onRetry }: { state: RunLogState; onRetry(): void }) {
  const t = useTranslations("run");
  const errors = useTranslations("errors");
  const errorText = useErrorText();
  if (error?.status !== 404)
    return (
      <div className="px-6 pt-5 phone:px-4">
        <LoadFailed text={t("failed")} onRetry={onRetry} />
        <p className="meta">{errorText(error)}</p>
      </div>
    );
  return (
    <div className="px-6 pt-5 phone:px-4" role="alert">
      <h1 className="font-voice text-title">{t("missing.title")}</h1>
      <p className="meta">{error.code === "temporary_ended" ? errorText(error) : t("missing.text")}</p>
      <p className="mt-4">
        <NearLink href="/" className={buttonClass()}>
          {errors("home")}
        </NearLink>
      </p>
    </div>
  );
}

function Back({ href }: { href: string }) {
  const t = useTranslations("run");
  return (
    <NearLink href={href} className={iconButtonClass} aria-label={t("back")}>
      <Icon name="arrowLeft" />
    </NearLink>
  );
}

/** A download of the browser's own: the log of the run, as far as it is by then. */
function Export({ id }: { id: string }) {
  const t = useTranslations("run");
  return (
    <a
      href={`/api/runs/${encodeURIComponent(id)}/export`}
      download
      title={t("exportHint")}
      className={buttonClass("quiet", true)}
    >
      <Icon name="download" size={14} />
      <span className="phone:sr-only">{t("export")}</span>
    </a>
  );
}

/** Where its answer stands, or its question while there is none. */
const placeOf = ({ conversationId, answerId, messageId }: RunItem) =>
  `/c/${encodeURIComponent(conversationId)}?message=${encodeURIComponent(answerId ?? messageId)}`;

function useModelName(run: RunItem | null): string {
  const { data } = useModels();
  if (!run) return "";
  // No model was asked.
  if (run.gateway) return run.gateway.name || run.gateway.program;
  return data?.items.find(({ id }) => id === run.model)?.name ?? run.model.slice(run.model.indexOf("/") + 1);
}

/** The program, or the schedule or trigger, that has asked. */
function useAsker(run: RunItem | null): string {
  const t = useTranslations("run");
  if (run?.startedBy) return t(`started.${run.startedBy.kind}`, { name: run.startedBy.name });
  if (!run?.program) return "";
  const { client } = run.program;
  return client === null ? t("askedByProgram") : t("askedBy", { client });
}

function statusWord({ status, stopReason }: RunView) {
  if (status !== "completed") return status;
  switch (stopReason) {
    case "max_iterations":
      return "limit";
    case "timeout":
      return "timeout";
    case "max_tokens":
      return "cut";
    case "end_turn":
    case "awaiting_approval":
    case "awaiting_input":
    case "awaiting_step":
    case "budget":
    case "aborted":
    case "interrupted":
    case "error":
    case null:
      return "completed";
  }
}
