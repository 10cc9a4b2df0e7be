"use client";

import { useRouter } from "next/navigation";
import { useCallback, useRef } from "react";
import { useLocale, useTranslations } from "use-intl";
import { FileAddress } from "@/components/chat/file-part";
import { ResourceReader } from "@/components/chat/resource-link";
import { Button } from "@/components/ui/button";
import { Mark } from "@/components/ui/mark";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/use-error-text";
import { asApiError } from "@/lib/client/http";
import { forkShare } from "@/lib/client/shares";
import type { ShareSnapshot } from "@/lib/protocol/http";
import { saveAsFile } from "./save-file";
import { ShareDocument } from "./share-document";

export interface ShareScreenProps {
  token: string;
  snapshot: ShareSnapshot;
  meta: string;
}

/** The page behind a link. All there is to read stands in its HTML; the two buttons are extra. */
export function ShareScreen({ token, snapshot, meta }: ShareScreenProps) {
  const t = useTranslations("share");
  const locale = useLocale();
  const paper = useRef<HTMLElement>(null);
  const errorText = useErrorText();
  const addressOf = useCallback(
    (id: string) => `/api/share/${encodeURIComponent(token)}/attachments/${encodeURIComponent(id)}`,
    [token],
  );
  const save = () => {
    if (!paper.current) return;
    saveAsFile(paper.current, { title: snapshot.title, lang: locale, mark: t("from") }).catch((error) =>
      notifyFailure(errorText(error)),
    );
  };
  return (
    <div className="flex h-dvh flex-col">
      <header className="bar plain phone:px-4">
        <Mark name />
        <span className="min-w-0 flex-1" />
        <span className="mr-3 text-mach whitespace-nowrap text-ink-3 phone:hidden">{t("brand")}</span>
        <Button onClick={save}>{t("download")}</Button>
        <Continue token={token} />
      </header>
      <main ref={paper} className="scroll">
        <FileAddress value={addressOf}>
          <ResourceReader value={null}>
            <ShareDocument snapshot={snapshot} meta={meta} />
          </ResourceReader>
        </FileAddress>
      </main>
    </div>
  );
}

/** Copies it into the reader's own conversations; only in a browser that is signed in here. */
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
    <Button tone="ink" className="phone:hidden" onClick={go}>
      {t("continue")}
    </Button>
  );
}
