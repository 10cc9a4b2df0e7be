"use client";

import { useTranslations } from "use-intl";
import { ShareList } from "@/components/share/share-list";
import { refreshShares, useShares } from "@/lib/client/settings/shares";
import { LoadState } from "./load-state";
import { PageHead } from "./page-head";

export function SharesPage() {
  const t = useTranslations("settings.shares");
  const { data, error } = useShares();
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>} />
      {!data && <LoadState error={error} onRetry={refreshShares} />}
      {data?.items.length === 0 && <p className="py-3 text-mach text-ink-2 rule-y">{t("none")}</p>}
      {data && data.items.length > 0 && <ShareList shares={data.items} />}
    </>
  );
}
