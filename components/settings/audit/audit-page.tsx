"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { Button, buttonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { LoadFailed } from "@/components/ui/load-failed";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { type AuditFilter, toQuery } from "@/lib/client/settings/audit";
import { auditDays } from "@/lib/protocol/audit";
import { AuditFilters } from "./audit-filters";
import { AuditList } from "./audit-list";
import { useAudit } from "./use-audit";

/** Who did what, for admins. Its address says what is shown. */
export function AuditPage({ initial }: { initial: AuditFilter }) {
  const t = useTranslations("settings.audit");
  const errorText = useErrorText();
  const [filter, setFilter] = useState(initial);
  const { page, error, isLoading, loadMore, retry } = useAudit(filter);
  const change = (next: AuditFilter) => {
    setFilter(next);
    window.history.replaceState(null, "", `?${toQuery(next)}`);
  };
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede", { days: auditDays })}</p>}>
        <a href={`/api/audit/file?${toQuery(filter)}`} download className={buttonClass()}>
          <Icon name="download" size={14} />
          {t("save")}
        </a>
      </PageHead>
      <AuditFilters filter={filter} onChange={change} />
      {error && page && <LoadFailed className="mt-3" text={errorText(error)} onRetry={retry} />}
      {page ? <AuditList items={page.items} /> : <LoadState error={error} onRetry={retry} lines={8} />}
      {page?.nextCursor && (
        <Button className="mt-3" aria-disabled={isLoading} onClick={() => isLoading || void loadMore()}>
          {t(isLoading ? "loading" : "older")}
        </Button>
      )}
    </>
  );
}
