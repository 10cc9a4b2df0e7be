"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { copyText } from "@/components/ui/controls/copy-button";
import { Field } from "@/components/ui/controls/field";
import { notifyFailure } from "@/components/ui/toast";

/** The new link, ready to be copied, with a word about whom it reaches. */
export function ShareLink({ url }: { url: string }) {
  const t = useTranslations("share");
  const common = useTranslations("common");
  const [copied, setCopied] = useState(false);
  const copy = () =>
    copyText(url).then(
      () => setCopied(true),
      () => notifyFailure(common("copyFailed")),
    );
  return (
    <div>
      <div className="flex items-end gap-2">
        <Field
          className="min-w-0 flex-1"
          label={t("dialogTitle")}
          hideLabel
          mono
          readOnly
          value={url}
          onFocus={({ target }) => showFromStart(target)}
        />
        <Button tone="ink" onClick={copy} aria-live="polite">
          {copied ? common("copied") : t("copyLink")}
        </Button>
      </div>
      {isLoopback(url) && <p className="mt-2 text-mach text-ink-2">{t("loopback")}</p>}
    </div>
  );
}

/** All of it is chosen, and its start is in sight: after the focus the browser scrolls to the end of what is chosen. */
function showFromStart(field: HTMLInputElement): void {
  field.select();
  requestAnimationFrame(() => {
    field.scrollLeft = 0;
  });
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\./.test(hostname)
  );
}
