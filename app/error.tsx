"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";

export default function PageError({ error }: { error: Error & { digest?: string } }) {
  const t = useTranslations("errors");
  return (
    <div className="grid flex-1 place-items-center p-6" role="alert">
      <title>{`${t("unexpected")} · Meguri`}</title>
      <div className="max-w-[440px]">
        <h1 className="font-voice text-title">{t("unexpected")}</h1>
        <p className="mt-1 max-w-150 text-[14px]/5 text-pretty text-ink-2">{t("unexpectedHint")}</p>
        <p className="mt-2 mb-5 font-mono text-micro text-ink-3">{error.digest ?? error.message}</p>
        <Button tone="ink" onClick={() => location.reload()}>
          {t("again")}
        </Button>
      </div>
    </div>
  );
}
