"use client";

import { useRef, useState, useSyncExternalStore } from "react";
import { useFormatter, useNow, useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import RemovalDialog from "@/components/settings/removal-dialog";
import { Rows, RowsHead } from "@/components/settings/rows";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { NearLink } from "@/components/ui/near-link";
import { Ring } from "@/components/ui/ring";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useClientCalls, useWaitingCalls } from "@/lib/client/settings/clients";
import { deleteToken, refreshTokens, useTokens } from "@/lib/client/settings/tokens";
import type { ApiTokenItem, NewApiToken } from "@/lib/protocol/api-tokens";
import type { ListedRun } from "@/lib/protocol/http";
import { ClientDialog } from "./client-dialog";
import { ClientMade } from "./client-made";

const columns = "grid-cols-[20px_minmax(0,1fr)_minmax(0,1fr)_84px_104px_116px_56px]";

/** Programs that use the person's servers through Meguri, and how one is added. */
export function ClientsPage() {
  const t = useTranslations("settings.clients");
  const add = useRef<HTMLButtonElement>(null);
  const focusBack = useFocusBack(() => add.current?.focus());
  const url = useAddress();
  const { data, error } = useTokens();
  const waiting = useWaitingCalls().data?.items ?? [];
  const counts = useClientCalls().data?.items ?? [];
  const act = useAct();
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<NewApiToken>();
  const [revoked, setRevoked] = useState<ApiTokenItem>();
  const clients = data?.items.filter(({ scopes }) => scopes.includes("mcp")) ?? [];
  const callOf = ({ id }: ApiTokenItem) => waiting.find(({ gateway }) => gateway?.tokenId === id);
  return (
    <div {...focusBack}>
      <PageHead title={t("title")} lede={<p>{t("lede", { waiting: clients.filter(callOf).length })}</p>}>
        <Button ref={add} icon="plus" onClick={() => setAsking(true)}>
          {t("add")}
        </Button>
      </PageHead>
      {!data ? (
        <LoadState error={error} onRetry={refreshTokens} lines={3} />
      ) : clients.length === 0 ? (
        <p className="py-3 text-mach text-ink-2">{t("none")}</p>
      ) : (
        <Rows aria-label={t("title")}>
          <RowsHead columns={columns}>
            <span />
            <span>{t("client")}</span>
            <span>{t("servers")}</span>
            <span>{t("may")}</span>
            <span>{t("asks")}</span>
            <span>{t("used")}</span>
            {/* As wide as the buttons below. */}
            <span className="invisible">{t("revoke")}</span>
          </RowsHead>
          {clients.map((client) => (
            <ClientRow
              key={client.id}
              client={client}
              waiting={callOf(client)}
              calls={counts.find(({ tokenId }) => tokenId === client.id)?.calls ?? 0}
              onRevoke={() => setRevoked(client)}
              onRemove={() => void act(() => deleteToken(client.id))}
            />
          ))}
        </Rows>
      )}
      <p className="mt-3 meta">
        {t("address")} <code>{url}</code> <LastDay />
      </p>
      {isAsking && (
        <ClientDialog
          onClose={() => setAsking(false)}
          onMade={(token) => {
            setAsking(false);
            setMade(token);
          }}
        />
      )}
      {made && <ClientMade token={made} url={url} onClose={() => setMade(undefined)} />}
      {revoked && (
        <RemovalDialog
          title={t("revokeTitle", { name: revoked.name })}
          text={t("revokeText")}
          action={t("revoke")}
          done={t("revoked", { name: revoked.name })}
          remove={() => deleteToken(revoked.id)}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </div>
  );
}

/** What all of them have called, those too that are revoked. */
function LastDay() {
  const t = useTranslations("settings.clients");
  const { data } = useClientCalls();
  const sum = (of: "calls" | "asked" | "denied") =>
    data?.items.reduce((total, count) => total + count[of], 0) ?? 0;
  const { calls, asked, denied } = { calls: sum("calls"), asked: sum("asked"), denied: sum("denied") };
  return (
    <>
      {data && t(data.isWhole ? "lastDay" : "lastDayAtLeast", { calls, asked, denied })}{" "}
      <NearLink href="/settings/clients/calls">{t("allCalls")}</NearLink>
    </>
  );
}

/** As this browser reaches Meguri. */
function useAddress(): string {
  const origin = useSyncExternalStore(
    () => () => {},
    () => location.origin,
    () => "",
  );
  return `${origin}/mcp`;
}

/** Without the year: none lasts for more than one. */
const whenUsed = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } as const;

interface ClientRowProps {
  client: ApiTokenItem;
  /** Its call that waits for a person. */
  waiting: ListedRun | undefined;
  /** In the last 24 hours. */
  calls: number;
  onRevoke(): void;
  /** Of one that is revoked. */
  onRemove(): void;
}

function ClientRow({ client, waiting, calls, onRevoke, onRemove }: ClientRowProps) {
  const t = useTranslations("settings.clients");
  const format = useFormatter();
  const now = useNow();
  const { name, start, servers, scopes, onApproval = "wait", expiresAt, lastUsedAt, revokedAt } = client;
  const isRevoked = revokedAt !== undefined;
  const isOver = isRevoked || (expiresAt !== null && Date.parse(expiresAt) <= now.getTime());
  const day = (at: string) => format.dateTime(new Date(at), { dateStyle: "medium" });
  const ends = isRevoked
    ? t("revokedOn", { when: day(revokedAt) })
    : expiresAt && t(isOver ? "ended" : "endsOn", { when: day(expiresAt) });
  const words = (list: readonly string[]) => format.list(list, { type: "unit" });
  return (
    <li
      className={cn(
        "grid min-h-11 items-center gap-x-4 py-1 rule-t slim:grid-cols-[20px_minmax(0,1fr)_auto]",
        columns,
        isOver && "text-ink-3",
      )}
    >
      <Ring state={waiting ? "wait" : isOver ? "off" : "done"} size={14} />
      <span className="min-w-0">
        <b className={cn("block truncate", isOver ? "font-normal" : "font-semibold")}>{name}</b>
        <small className="block truncate pb-0.5 text-micro text-ink-3">
          <code>{start}…</code>{" "}
          <NearLink href={`/settings/clients/calls?token=${encodeURIComponent(client.id)}`}>
            {t("callsToday", { count: calls })}
          </NearLink>{" "}
          {ends}
        </small>
      </span>
      <span className="truncate slim:hidden">
        {servers ? words(servers) || t("noServer") : t("allServers")}
      </span>
      <span className="text-ink-2 slim:hidden">{words(scopes.map((scope) => t(`scopes.${scope}`)))}</span>
      <span className="slim:hidden">{!isRevoked && t(`does.${onApproval}`)}</span>
      <span className="slim:hidden">
        {waiting ? (
          <b className="font-semibold text-shu">{t("waiting")}</b>
        ) : (
          <span className="text-ink-2">
            {lastUsedAt === null ? t("never") : format.dateTime(new Date(lastUsedAt), whenUsed)}
          </span>
        )}
      </span>
      {waiting ? (
        <NearLink
          href={`/c/${encodeURIComponent(waiting.conversationId)}`}
          className="justify-self-end text-micro"
        >
          {t("answer")}
        </NearLink>
      ) : isRevoked ? (
        <TextButton
          className="self-center justify-self-end"
          aria-label={t("removeLabel", { name })}
          onClick={onRemove}
        >
          {t("remove")}
        </TextButton>
      ) : (
        <TextButton
          className="self-center justify-self-end"
          aria-label={t("revokeLabel", { name })}
          onClick={onRevoke}
        >
          {t("revoke")}
        </TextButton>
      )}
    </li>
  );
}
