"use client";

import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { useIsAdmin } from "@/components/ui/words/account";
import { refreshSettings, useSettings } from "@/lib/client/settings/settings";
import { refreshUsage, useUsage } from "@/lib/client/settings/usage";
import { DeletionSection } from "./deletion-section";
import { ExportSection } from "./export-section";
import { ImportSection } from "./import-section";
import { RetentionForm } from "./retention-form";
import { UsageSection } from "./usage-section";
import { WireSection } from "./wire-section";

/** What is everybody's is for admins: what it takes, and deleting it. */
export function DataPage() {
  const t = useTranslations("settings.data");
  const isAdmin = useIsAdmin();
  const settings = useSettings();
  return (
    <>
      <PageHead
        title={t("title")}
        lede={settings.data && <p>{t("lede", { storedIn: settings.data.storedIn })}</p>}
      />
      {isAdmin && <Usage />}
      {settings.data ? (
        <>
          <RetentionForm retention={settings.data.retention} />
          <WireSection isOn={settings.data.recordWire} />
        </>
      ) : (
        <LoadState error={settings.error} onRetry={refreshSettings} />
      )}
      <ExportSection />
      <ImportSection />
      {isAdmin && <DeletionSection />}
    </>
  );
}

function Usage() {
  const { data, error } = useUsage();
  return data ? <UsageSection usage={data} /> : <LoadState error={error} onRetry={refreshUsage} />;
}
