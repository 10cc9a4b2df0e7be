"use client";

import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Button, buttonClass } from "@/components/ui/button";
import { cn } from "@/components/ui/cn";
import { CopyButton } from "@/components/ui/copy-button";
import { notify, notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/use-error-text";
import { isLive, revokeShare } from "@/lib/client/shares";
import type { ShareItem } from "@/lib/protocol/http";

/** Links with what one does to them. Ended ones stay as a record. */
export function ShareList({
  shares,
  withTitle = true,
}: {
  shares: readonly ShareItem[];
  withTitle?: boolean;
}) {
  return (
    <ul className="share-rows">
      {shares.map((share) => (
        <ShareRow key={share.id} share={share} withTitle={withTitle} />
      ))}
    </ul>
  );
}

function ShareRow({ share, withTitle }: { share: ShareItem; withTitle: boolean }) {
  const t = useTranslations("share.list");
  const live = isLive(share);
  return (
    <li className={cn("share-row", !live && "text-ink-3")}>
      <div className="min-w-0 flex-1">
        {withTitle && (
          <b className={cn("block truncate", live ? "font-semibold" : "font-normal")}>{share.title}</b>
        )}
        <Facts share={share} live={live} />
      </div>
      {live && (
        <>
          <CopyButton label={t("copy", { title: share.title })} text={() => share.url} />
          <a
            className={buttonClass("quiet", true)}
            href={share.url}
            target="_blank"
            rel="noopener"
            aria-label={t("openLabel", { title: share.title })}
          >
            {t("open")}
          </a>
          <Revoke share={share} />
        </>
      )}
    </li>
  );
}

function Facts({ share, live }: { share: ShareItem; live: boolean }) {
  const t = useTranslations("share.list");
  const format = useFormatter();
  const day = (at: string) => format.dateTime(new Date(at), { dateStyle: "medium" });
  const end = share.revokedAt
    ? t("revoked", { when: day(share.revokedAt) })
    : share.expiresAt
      ? t(live ? "ends" : "expired", { when: day(share.expiresAt) })
      : t("endless");
  return (
    <p className="text-micro leading-5 text-ink-3">
      {t("made", { when: day(share.createdAt) })} · {end} · {t("views", { count: share.views })}
    </p>
  );
}

/** Asks in its own place, because a revoked link never comes back. */
function Revoke({ share }: { share: ShareItem }) {
  const t = useTranslations("share.list");
  const errorText = useErrorText();
  const [sure, setSure] = useState(false);
  if (!sure)
    return (
      <Button
        small
        tone="quiet"
        aria-label={t("revokeLabel", { title: share.title })}
        onClick={() => setSure(true)}
      >
        {t("revoke")}
      </Button>
    );
  const revoke = () =>
    revokeShare(share.id).then(
      () => notify(t("done", { title: share.title })),
      (error) => notifyFailure(errorText(error)),
    );
  return (
    <Button small autoFocus onBlur={() => setSure(false)} onClick={revoke}>
      {t("sure")}
    </Button>
  );
}
