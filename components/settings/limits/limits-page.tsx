"use client";

import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { refreshSettings, useSettings } from "@/lib/client/settings/settings";
import { LimitsForm } from "./limits-form";
import { LimitsTable } from "./limits-table";
import { PriceTable } from "./price-table";

export function LimitsPage() {
  const t = useTranslations("settings.limits");
  const { data, error } = useSettings();
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>} />
      {data ? (
        <>
          <LimitsForm limits={data.limits} />
          <LimitsTable limits={data.limitsInForce} />
          <PriceTable prices={data.prices} date={data.pricesDate} />
        </>
      ) : (
        <LoadState error={error} onRetry={refreshSettings} />
      )}
    </>
  );
}
