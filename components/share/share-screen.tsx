"use client";

import { useRouter } from "next/navigation";
import { useCallback, useRef } from "react";
import { useTranslations } from "use-intl";
import { FileAddress } from "@/components/chat/parts/file-part";
import { ResourceReader } from "@/components/chat/turn/resource-link";
import { cn } from "@/components/ui/cn";
import { Button, buttonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { Mark } from "@/components/ui/mark";
import { notifyFailure } from "@/components/ui/toast";
import { usePageRuns } from "@/components/ui/use-page-runs";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { asApiError } from "@/lib/client/http/http";
import { forkShare } from "@/lib/client/settings/shares";
import type { ShareSnapshot } from "@/lib/protocol/shares";
import { ShareDocument } from "./share-document";

export interface ShareScreenProps {
  token: string;
  snapshot: ShareSnapshot;
  expiresAt: string | null;
  /** Signed in to this Meguri: can go on with a copy. */
  isOwnReader: boolean;
  /** The link can be played; `now`: it is. */
  replay?: "offered" | "now" | undefined;
}

const player = latePart(() => import("./replay"));

/** The page behind a link. Everything to read is in its HTML; what needs a script appears once it runs. */
export function ShareScreen({ token, snapshot, expiresAt, isOwnReader, replay }: ShareScreenProps) {
  const t = useTranslations("share");
  const paper = useRef<HTMLElement>(null);
  const runs = usePageRuns();
  const Player = useLatePart(player, runs && replay === "now");
  const addressOf = useCallback(
    (id: string) => `/api/share/${encodeURIComponent(token)}/attachments/${encodeURIComponent(id)}`,
    [token],
  );
  return (
    <div className="flex h-dvh flex-col">
      <header className="relative flex h-12 flex-none items-center gap-2 px-6 phone:px-4">
        <span className="phone:hidden">
          <Mark name />
        </span>
        <span className="hidden phone:block">
          <Mark />
        </span>
        <span className="min-w-0 flex-1" />
        <span className="mr-2 text-mach whitespace-nowrap text-ink-3 phone:hidden">{t("brand")}</span>
        {replay && (
          <a
            className={buttonClass("quiet")}
            href={replay === "now" ? `/share/${token}` : `/share/${token}?play`}
          >
            {t(replay === "now" ? "replay.read" : "replay.watch")}
          </a>
        )}
        {!isOwnReader && <HowToContinue />}
        <a
          className={buttonClass(isOwnReader ? "outline" : "ink")}
          href={`/api/share/${encodeURIComponent(token)}?format=html`}
          download
          title={t("download")}
        >
          <Icon name="download" size={14} className="hidden phone:block" />
          <span className="phone:sr-only">{t("download")}</span>
        </a>
        {runs && isOwnReader && <Continue token={token} />}
      </header>
      <main
        ref={paper}
        // Copying and the raw form of a result need a script.
        className="flex min-h-0 flex-1 flex-col overflow-auto thin-bar noscript:[&_button:not(.sort)]:hidden"
      >
        <FileAddress value={addressOf}>
          <ResourceReader value={null}>
            {Player ? (
              <Player snapshot={snapshot} expiresAt={expiresAt} paper={paper} />
            ) : (
              <ShareDocument snapshot={snapshot} expiresAt={expiresAt} />
            )}
          </ResourceReader>
        </FileAddress>
      </main>
    </div>
  );
}

/** For somebody who is not signed in here: what it takes, in words that open without a script. */
function HowToContinue() {
  const t = useTranslations("share");
  return (
    <details>
      <summary className={cn(buttonClass("quiet"), "list-none [&::-webkit-details-marker]:hidden")}>
        {t("how")}
      </summary>
      {/* It hangs from the bar, so that it never leaves a narrow window. */}
      <div className="absolute top-[calc(100%+4px)] right-4 z-2 grid w-[min(360px,calc(100vw-32px))] gap-2 rounded-control border border-rule-2 bg-raised p-4 text-mach shadow-lift">
        <p>{t("howOwn")}</p>
        <p>{t("howOther")}</p>
      </div>
    </details>
  );
}

/** Copies it into the reader's own conversations; the session may have ended meanwhile. */
function Continue({ token }: { token: string }) {
  const t = useTranslations("share");
  const errorText = useErrorText();
  const router = useRouter();
  const go = () =>
    forkShare(token).then(
      (conversationId) => router.push(`/c/${conversationId}`),
      (error) => notifyFailure(asApiError(error).status === 401 ? t("continueSignIn") : errorText(error)),
    );
  return (
    <Button tone="ink" onClick={go}>
      {t("continue")}
    </Button>
  );
}
