"use client";

import { useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button, buttonClass } from "@/components/ui/controls/button";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { notify, notifyFailure } from "@/components/ui/toast";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useGap } from "@/components/ui/words/use-gap";
import { findingsOf, isLive, revokeShare, updateShare } from "@/lib/client/settings/shares";
import type { FindingDecision, ShareFinding } from "@/lib/protocol/share-policy";
import type { ShareItem } from "@/lib/protocol/shares";
import { Words } from "./share-findings";

/** Links with what one does to them. Ended ones stay as a record. */
export function ShareList({
  shares,
  withTitle = true,
}: {
  shares: readonly ShareItem[];
  withTitle?: boolean;
}) {
  return (
    <ul className="text-mach rule-y">
      {shares.map((share) => (
        <ShareRow key={share.id} share={share} withTitle={withTitle} />
      ))}
    </ul>
  );
}

function ShareRow({ share, withTitle }: { share: ShareItem; withTitle: boolean }) {
  const t = useTranslations("share.list");
  const live = isLive(share);
  const update = useUpdate(share);
  const button = useRef<HTMLButtonElement>(null);
  const focusBack = useFocusBack(() => button.current?.focus());
  return (
    <li
      className={cn("flex min-h-12 flex-wrap items-center gap-1 py-1.5 rule-t", !live && "text-ink-3")}
      {...focusBack}
    >
      <div className="min-w-0 flex-1 phone:basis-full">
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
          <Button
            ref={button}
            small
            tone="quiet"
            aria-label={t("updateLabel", { title: share.title })}
            // Disabled it would lose the focus.
            aria-disabled={update.isBusy}
            onClick={() => update.isBusy || update.start()}
          >
            {t(update.isBusy ? "updating" : "update")}
          </Button>
          <Revoke share={share} />
          <UpdateProblem {...update} />
        </>
      )}
    </li>
  );
}

/** Brings the link to the newest state: busy, held back by what may be private, failed, or done and told. */
function useUpdate(share: ShareItem) {
  const t = useTranslations("share.list");
  const errorText = useErrorText();
  const [isBusy, setBusy] = useState(false);
  const [findings, setFindings] = useState<readonly ShareFinding[]>([]);
  const [failure, setFailure] = useState<string>();
  const start = async (decision?: FindingDecision) => {
    setBusy(true);
    setFindings([]);
    setFailure(undefined);
    try {
      await updateShare(share.id, decision);
      notify(t("updated", { title: share.title }));
    } catch (error) {
      const found = findingsOf(error);
      if (found) setFindings(found);
      else setFailure(errorText(error));
    }
    setBusy(false);
  };
  return { isBusy, findings, failure, start, cancel: () => setFindings([]) };
}

/** Under the row: what has to be decided before, or why it could not be. */
function UpdateProblem({ findings, failure, start, cancel }: ReturnType<typeof useUpdate>) {
  const t = useTranslations("share");
  const common = useTranslations("common");
  const gap = useGap();
  if (failure)
    return (
      <p role="alert" className="w-full text-mach">
        <b className="font-semibold text-shu">{t("list.updateFailed")}</b>
        {gap}
        {failure}
      </p>
    );
  if (findings.length === 0) return null;
  return (
    <div role="alert" className="w-full bg-shu-wash px-3 py-2 shadow-[inset_0_2px_var(--shu)]">
      <p className="mb-1 font-semibold text-shu">{t("findings.open", { count: findings.length })}</p>
      <p className="mb-2">
        {findings.slice(0, 8).map(({ id, kind, excerpt, where }) => (
          <span key={id} className="mr-3 inline-block">
            <code className="text-[12px]">{excerpt}</code> <Words kind={kind} where={where} />
          </span>
        ))}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button small tone="ink" onClick={() => start("redact")}>
          {t("list.updateRedact")}
        </Button>
        <Button small onClick={() => start("accept")}>
          {t("list.updateAccept")}
        </Button>
        <Button small tone="quiet" onClick={cancel}>
          {common("cancel")}
        </Button>
      </div>
    </div>
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
