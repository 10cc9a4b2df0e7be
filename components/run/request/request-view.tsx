"use client";

import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Payload } from "@/components/chat/parts/payload";
import { Pairs } from "@/components/chat/turn/pairs";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { LoadFailed } from "@/components/ui/load-failed";
import { Skeleton } from "@/components/ui/skeleton";
import { compareRequests, toRows, toServers } from "@/lib/client/run/request-parts";
import { tokensOf } from "@/lib/protocol/count-tokens";
import type { ModelRequest } from "@/lib/protocol/http";
import { MessageRows } from "./message-rows";
import { ToolRows } from "./tool-rows";
import type { Read } from "./use-request";
import { WireView } from "./wire-view";

const LineDiff = lazy(() => import("@/components/ui/code/line-diff"));

export interface RequestViewProps {
  read: Read;
  tab: "sent" | "changed" | "wire";
}

/** What the model was sent in a turn, by its parts, what of it is not as in the turn before, or what went over the wire. */
export function RequestView({ read: { request, before, failure, retry }, tab }: RequestViewProps) {
  const t = useTranslations("run.request");
  const common = useTranslations("common");
  if (failure !== undefined)
    return (
      <>
        <LoadFailed text={t("failed")} onRetry={retry} />
        <p className="meta">{failure}</p>
      </>
    );
  if (!request) return <Skeleton lines={4} height={24} label={common("loading")} />;
  if (tab === "wire") return <WireView wire={request.wire} />;
  if (tab === "changed" && before)
    return (
      <Suspense fallback={<Skeleton lines={4} height={24} label={common("loading")} />}>
        <Changed request={request} before={before} />
      </Suspense>
    );
  return <Sent request={request} before={before} />;
}

function Changed({ request, before }: { request: ModelRequest; before: ModelRequest }) {
  const t = useTranslations("run.request");
  const format = useFormatter();
  const { same, ...texts } = useMemo(() => compareRequests(before, request), [before, request]);
  if (texts.before === texts.now) return <p className="text-ink-2">{t("same")}</p>;
  const parts = format.list(same.map((part) => t(part)));
  return (
    <>
      {parts && <p className="pb-2 text-ink-2">{t("sameParts", { parts })}</p>}
      <LineDiff {...texts} />
    </>
  );
}

function Sent({ request, before }: { request: ModelRequest; before: ModelRequest | null }) {
  const t = useTranslations("run.request");
  const { system, tools, messages, params } = request;
  const rows = useMemo(() => messages && toRows(messages, before?.messages ?? null), [messages, before]);
  const servers = useMemo(() => tools && toServers(tools, before?.tools ?? null), [tools, before]);
  const parts = [
    { name: "messages" as const, tokens: sum(rows), count: rows?.length },
    { name: "tools" as const, tokens: sum(servers), count: tools?.length },
    { name: "system" as const, tokens: system === null ? null : tokensOf(system), count: undefined },
  ];
  const all = parts.reduce((total, { tokens }) => total + (tokens ?? 0), 0);
  const fresh = before ? rows?.filter(({ isNew }) => isNew).length : undefined;
  const note = (count: number | undefined) => (count === undefined ? undefined : t("count", { count }));
  return (
    <div className="grid gap-x-6 gap-y-4 min-[900px]:grid-cols-[244px_minmax(0,1fr)]">
      <Shares parts={parts} all={all} request={request} />
      <div className="min-w-0">
        <Section
          name={t("messages")}
          note={fresh ? t("new", { count: fresh }) : note(rows?.length)}
          tokens={sum(rows)}
          isOpen
        >
          {rows ? <MessageRows rows={rows} /> : <Missing text={t("noMessages")} />}
        </Section>
        <Section name={t("tools")} note={note(tools?.length)} tokens={sum(servers)}>
          {servers ? <ToolRows servers={servers} /> : <Missing text={t("notRecorded")} />}
        </Section>
        <Section
          name={t("system")}
          note={before && system !== null ? t(before.system === system ? "asBefore" : "changed") : undefined}
          tokens={parts[2]?.tokens ?? null}
        >
          {system === null ? <Missing text={t("notRecorded")} /> : <Payload text={system} />}
        </Section>
        <Section name={t("params")} tokens={null}>
          {params === null ? (
            <Missing text={t("notRecorded")} />
          ) : (
            <Pairs
              className="font-mono text-[12px]/5 text-ink-2"
              pairs={pairsOf({ model: request.model, ...params })}
            />
          )}
        </Section>
      </div>
    </div>
  );
}

const sum = (parts: readonly { tokens: number }[] | null): number | null =>
  parts?.reduce((total, { tokens }) => total + tokens, 0) ?? null;

const pairsOf = (params: object) =>
  Object.entries(params).map(
    ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value, null, 2)] as const,
  );

interface SharesProps {
  parts: readonly {
    name: "messages" | "tools" | "system";
    tokens: number | null;
    count: number | undefined;
  }[];
  all: number;
  request: ModelRequest;
}

/** How much of the request each part takes; only estimated, as no provider tells it. */
function Shares({ parts, all, request: { estimatedTokens } }: SharesProps) {
  const t = useTranslations("run.request");
  const format = useFormatter();
  return (
    <div className="phone:hidden">
      {parts.map(({ name, tokens }) => (
        <p key={name} className="relative flex min-h-8 items-center justify-between rule-b">
          <span>{t(name)}</span>
          <span className="text-ink-2">{tokens === null ? "–" : format.number(tokens)}</span>
          <span
            aria-hidden="true"
            className="absolute -bottom-px left-0 h-0.5 bg-ink"
            style={{ width: `${all > 0 ? (100 * (tokens ?? 0)) / all : 0}%` }}
          />
        </p>
      ))}
      <p className="meta pt-3">{t("estimated", { tokens: format.number(estimatedTokens ?? all) })}</p>
    </div>
  );
}

interface SectionProps {
  name: string;
  note?: string | undefined;
  tokens: number | null;
  isOpen?: boolean;
  children: ReactNode;
}

/** A part of the request that opens in place; what is closed is not drawn. */
function Section({ name, note, tokens, isOpen = false, children }: SectionProps) {
  const format = useFormatter();
  const [open, setOpen] = useState(isOpen);
  return (
    <section className="rule-b">
      <h3>
        <button
          type="button"
          aria-expanded={open}
          className="flex min-h-9 w-full items-center gap-2 text-left phone:min-h-11"
          onClick={() => setOpen(!open)}
        >
          <Icon name="chevronRight" size={12} className={cn("flex-none text-ink-3", open && "rotate-90")} />
          <b className="font-semibold">{name}</b>
          <span className="min-w-0 flex-1 truncate text-ink-2">{note}</span>
          {tokens !== null && <span className="text-ink-2">{format.number(tokens)}</span>}
        </button>
      </h3>
      {open && <div className="pb-3">{children}</div>}
    </section>
  );
}

const Missing = ({ text }: { text: string }) => <p className="pl-5 text-ink-2">{text}</p>;
