"use client";

import { useRef, useState, useSyncExternalStore } from "react";
import { useFormatter, useNow, useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import RemovalDialog from "@/components/settings/removal-dialog";
import { Rows, RowsHead } from "@/components/settings/rows";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { NearLink } from "@/components/ui/near-link";
import { Ring } from "@/components/ui/ring";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useWaitingCalls } from "@/lib/client/settings/clients";
import { deleteToken, refreshTokens, useTokens } from "@/lib/client/settings/tokens";
import type { ApiTokenItem, NewApiToken } from "@/lib/protocol/api-tokens";
import type { ListedRun } from "@/lib/protocol/http";
import { ClientDialog } from "./client-dialog";
import { ClientMade } from "./client-made";

const columns = "grid-cols-[20px_minmax(0,1fr)_minmax(0,1fr)_84px_104px_116px_auto]";

/** Programs that use the person's servers through Meguri, and how one is added. */
export function ClientsPage() {
  const t = useTranslations("settings.clients");
  const add = useRef<HTMLButtonElement>(null);
  const focusBack = useFocusBack(() => add.current?.focus());
  const url = useAddress();
  const { data, error } = useTokens();
  const calls = useWaitingCalls().data?.items ?? [];
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<NewApiToken>();
  const [revoked, setRevoked] = useState<ApiTokenItem>();
  const clients = data?.items.filter(({ scopes }) => scopes.includes("mcp")) ?? [];
  const callOf = ({ id }: ApiTokenItem) => calls.find(({ gateway }) => gateway?.tokenId === id);
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
              onRevoke={() => setRevoked(client)}
            />
          ))}
        </Rows>
      )}
      <p className="mt-3 meta">
        {t("address")} <code>{url}</code>
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

/** As this browser reaches Meguri. */
function useAddress(): string {
  const origin = useSyncExternalStore(
    () => () => {},
    () => location.origin,
    () => "",
  );
  return `${origin}/mcp`;
}

interface ClientRowProps {
  client: ApiTokenItem;
  /** Its call that waits for a person. */
  waiting: ListedRun | undefined;
  onRevoke(): void;
}

function ClientRow({ client, waiting, onRevoke }: ClientRowProps) {
  const t = useTranslations("settings.clients");
  const format = useFormatter();
  const now = useNow();
  const { name, start, servers, scopes, onApproval = "wait", expiresAt, lastUsedAt } = client;
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now.getTime();
  const day = (at: string) => format.dateTime(new Date(at), { dateStyle: "medium" });
  const ends = expiresAt === null ? "" : t(isOver ? "ended" : "endsOn", { when: day(expiresAt) });
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
        <small className="block truncate text-micro text-ink-3">
          <code>{start}…</code> {ends}
        </small>
      </span>
      <span className="truncate slim:hidden">
        {servers ? words(servers) || t("noServer") : t("allServers")}
      </span>
      <span className="text-ink-2 slim:hidden">{words(scopes.map((scope) => t(`scopes.${scope}`)))}</span>
      <span className="slim:hidden">{t(`does.${onApproval}`)}</span>
      <span className="slim:hidden">
        {waiting ? (
          <b className="font-semibold text-shu">{t("waiting")}</b>
        ) : (
          <span className="text-ink-2">
            {lastUsedAt === null
              ? t("never")
              : format.dateTime(new Date(lastUsedAt), { dateStyle: "medium", timeStyle: "short" })}
          </span>
        )}
      </span>
      {waiting ? (
        <NearLink href={`/c/${encodeURIComponent(waiting.conversationId)}`} className="text-micro">
          {t("answer")}
        </NearLink>
      ) : (
        <TextButton className="self-center" aria-label={t("revokeLabel", { name })} onClick={onRevoke}>
          {t("revoke")}
        </TextButton>
      )}
    </li>
  );
}
