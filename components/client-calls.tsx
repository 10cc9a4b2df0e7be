"use client";

import { useMemo, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { LoadFailed } from "@/components/ui/load-failed";
import { NearLink } from "@/components/ui/near-link";
import { Dot, Ring, type RingState } from "@/components/ui/ring";
import { Skeleton } from "@/components/ui/skeleton";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { type ApiError, asApiError } from "@/lib/client/http/http";
import { useLive } from "@/lib/client/http/live-store";
import { type CallFilter, type CallState, ClientCalls, stateOfCall } from "@/lib/client/run/client-calls";
import type { ListedRun } from "@/lib/protocol/http";
import { showInvisible } from "@/lib/protocol/show-invisible";

export interface ClientCallsProps extends CallFilter {
  /** Whether each says whose it is. */
  isMixed?: boolean;
  /** In place of a list of none. */
  none: string;
}

/** Calls of programs by day, newest first. Each leads to its run. */
export function ClientCallList({ token, conversation, isMixed = false, none }: ClientCallsProps) {
  const t = useTranslations("chat.calls");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const format = useFormatter();
  const calls = useMemo(
    () => new ClientCalls({ ...(token && { token }), ...(conversation && { conversation }) }),
    [token, conversation],
  );
  const { data, error } = useLive(calls.live);
  const more = useMore(calls);
  const shown = (data?.items ?? []).flatMap((run) => {
    const state = stateOfCall(run);
    return state && run.call ? [{ run, call: run.call, state }] : [];
  });
  const fault = error ?? more.error;
  const dayOf = ({ run }: Shown) => format.dateTime(new Date(run.startedAt), { dateStyle: "full" });
  return (
    <>
      {fault && (
        <LoadFailed text={errorText(fault)} onRetry={error ? () => calls.live.refresh() : more.load} />
      )}
      {!data && !error && <Skeleton lines={5} label={common("loading")} />}
      {data && shown.length === 0 && <p className="py-3 text-mach text-ink-2">{none}</p>}
      {[...Map.groupBy(shown, dayOf)].map(([day, rows]) => (
        <section key={day} aria-label={day}>
          <p className="flex h-7 items-center text-micro text-ink-3">{day}</p>
          <ul className="text-mach rule-y">
            {rows.map((row) => (
              <CallRow key={row.run.id} {...row} isMixed={isMixed} />
            ))}
          </ul>
        </section>
      ))}
      {data?.nextCursor && (
        <Button className="mt-3" aria-disabled={more.isLoading} onClick={more.load}>
          {t(more.isLoading ? "loading" : "older")}
        </Button>
      )}
    </>
  );
}

function useMore(calls: ClientCalls) {
  const [isLoading, setLoading] = useState(false);
  const [error, setError] = useState<ApiError>();
  const load = async () => {
    if (isLoading) return;
    setLoading(true);
    setError(undefined);
    await calls.loadMore().catch((cause) => setError(asApiError(cause)));
    setLoading(false);
  };
  return { isLoading, error, load: () => void load() };
}

interface Shown {
  run: ListedRun;
  call: NonNullable<ListedRun["call"]>;
  state: CallState;
}

const columns = "grid-cols-[24px_minmax(0,1fr)_auto_64px]";
const mixed = "grid-cols-[24px_minmax(0,1fr)_160px_108px_64px] slim:grid-cols-[24px_minmax(0,1fr)_auto_64px]";

function CallRow({ run, call, state, isMixed }: Shown & { isMixed: boolean }) {
  const t = useTranslations("chat.calls");
  const format = useFormatter();
  const at = new Date(run.startedAt);
  return (
    <li className="rule-t first:shadow-none">
      <NearLink
        href={`/runs/${encodeURIComponent(run.id)}`}
        className={cn(
          "grid min-h-7 items-center gap-x-3 py-0.5 text-ink no-underline hover:bg-paper-3 phone:min-h-11",
          isMixed ? mixed : columns,
        )}
      >
        <span className="flex justify-center">
          {state === "ok" ? <Dot /> : <Ring state={rings[state]} size={14} />}
        </span>
        <Called call={call} />
        {isMixed && (
          <span className="truncate text-ink-2 slim:hidden">
            {run.gateway && (run.gateway.name || run.gateway.program)}
          </span>
        )}
        <span
          className={cn(
            "text-right text-[12px]",
            state === "waiting" || state === "denied" ? "font-semibold text-shu" : "text-ink-3",
          )}
        >
          {t(`states.${state}`)}
        </span>
        <time
          dateTime={run.startedAt}
          title={format.dateTime(at, { dateStyle: "medium", timeStyle: "medium" })}
          className="text-right text-ink-2 tabular-nums"
        >
          {format.dateTime(at, { timeStyle: "short" })}
        </time>
      </NearLink>
    </li>
  );
}

function Called({ call }: Pick<Shown, "call">) {
  const [server, tool] = partsOf(call.tool);
  return (
    <span className="truncate">
      {server && (
        <>
          <b className="font-semibold">{server}</b>
          <span className="px-1 text-ink-3">·</span>
        </>
      )}
      {showInvisible(tool)}
      {call.argument && (
        <span className="ml-2 font-mono text-[12px] text-ink-3">{showInvisible(call.argument)}</span>
      )}
    </span>
  );
}

const rings: Readonly<Record<Exclude<CallState, "ok">, RingState>> = {
  ...{ error: "failed", denied: "failed", unknown: "unknown" },
  ...{ waiting: "wait", running: "run", takenBack: "off" },
};

/** Our own tools have no server. */
function partsOf(name: string): [server: string, tool: string] {
  const at = name.indexOf("__");
  return at < 0 ? ["", name] : [name.slice(0, at), name.slice(at + 2)];
}
