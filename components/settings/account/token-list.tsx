"use client";

import { type RefObject, useState } from "react";
import { useFormatter, useNow, useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import RemovalDialog from "@/components/settings/removal-dialog";
import { Rows, RowsHead } from "@/components/settings/rows";
import { cn } from "@/components/ui/cn";
import { TextButton } from "@/components/ui/controls/text-button";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { deleteToken, refreshTokens, useTokens } from "@/lib/client/settings/tokens";
import type { ApiTokenItem } from "@/lib/protocol/api-tokens";

const columns = "grid-cols-[minmax(0,1fr)_116px_132px_auto]";

/** One's API tokens; their values are not kept, so that they cannot be copied again. */
export function TokenList({
  inSection = false,
  newToken,
}: {
  inSection?: boolean;
  /** Takes the focus where the one that was deleted had it. */
  newToken: RefObject<HTMLButtonElement | null>;
}) {
  const t = useTranslations("settings.tokens");
  const common = useTranslations("common");
  const { data, error } = useTokens();
  const [deleting, setDeleting] = useState<ApiTokenItem>();
  const focusBack = useFocusBack(() => newToken.current?.focus());
  const items = data?.items.filter(({ revokedAt }) => revokedAt === undefined);
  if (!items) return <LoadState error={error} onRetry={refreshTokens} lines={2} />;
  return (
    <div {...focusBack}>
      {items.length === 0 ? (
        <p className="py-3 text-mach text-ink-2">{t("none")}</p>
      ) : (
        <Rows inSection={inSection} aria-label={t("title")}>
          <RowsHead columns={columns}>
            <span>{t("token")}</span>
            <span>{t("may")}</span>
            <span>{t("used")}</span>
            {/* As wide as the buttons below. */}
            <span className="invisible">{common("delete")}</span>
          </RowsHead>
          {items.map((token) => (
            <TokenRow key={token.id} token={token} onDelete={() => setDeleting(token)} />
          ))}
        </Rows>
      )}
      {deleting && (
        <RemovalDialog
          title={t("deleteTitle", { name: deleting.name })}
          text={t("deleteText")}
          action={common("delete")}
          done={t("deleted", { name: deleting.name })}
          remove={() => deleteToken(deleting.id)}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </div>
  );
}

function TokenRow({ token, onDelete }: { token: ApiTokenItem; onDelete(): void }) {
  const t = useTranslations("settings.tokens");
  const common = useTranslations("common");
  const format = useFormatter();
  const now = useNow();
  const { name, start, scopes, expiresAt, lastUsedAt } = token;
  const day = (at: string) => format.dateTime(new Date(at), { dateStyle: "medium" });
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now.getTime();
  const ends = expiresAt === null ? t("neverEnds") : t(isOver ? "ended" : "ends", { when: day(expiresAt) });
  return (
    <li
      className={cn(
        "grid min-h-11 items-center gap-x-4 py-1 rule-t slim:grid-cols-[minmax(0,1fr)_auto]",
        columns,
        isOver && "text-ink-3",
      )}
    >
      <span className="min-w-0">
        <b className={cn("block truncate", isOver ? "font-normal" : "font-semibold")}>{name}</b>
        <small className="block truncate text-micro text-ink-3">
          <code>{start}…</code> {ends}
        </small>
      </span>
      <span className="text-ink-2 slim:col-start-1 slim:row-start-2">
        {format.list(
          scopes.map((scope) => t(`scopes.${scope}`)),
          { type: "unit" },
        )}
      </span>
      <span className="text-ink-2 slim:hidden">
        {lastUsedAt === null
          ? t("neverUsed")
          : format.dateTime(new Date(lastUsedAt), { dateStyle: "medium", timeStyle: "short" })}
      </span>
      <TextButton className="self-center" aria-label={t("deleteLabel", { name })} onClick={onDelete}>
        {common("delete")}
      </TextButton>
    </li>
  );
}
