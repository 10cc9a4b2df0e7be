"use client";

import { useTranslations } from "use-intl";
import { NearLink } from "@/components/ui/near-link";
import type { RunItem } from "@/lib/protocol/http";

const maxShown = 8;

/** Where a run was forked from, and what was forked from it: the newest 8. */
export function RunForks({ run: { forkedFrom, forks = [] } }: { run: RunItem }) {
  const t = useTranslations("run.forks");
  if (!forkedFrom && forks.length === 0) return null;
  const shown = forks.slice(-maxShown);
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 pt-3 text-mach leading-6 text-ink-2 phone:leading-11">
      {forkedFrom && <span>{t.rich("from", { run: () => <RunLink id={forkedFrom.runId} /> })}</span>}
      {shown.length > 0 && (
        <>
          <span>{t("list", { count: forks.length })}</span>
          {shown.map(({ runId }) => (
            <RunLink key={runId} id={runId} />
          ))}
          {forks.length > maxShown && <span>{t("more", { count: forks.length - maxShown })}</span>}
        </>
      )}
    </p>
  );
}

function RunLink({ id }: { id: string }) {
  const t = useTranslations("run");
  return <NearLink href={`/runs/${encodeURIComponent(id)}`}>{t("name", { id: id.slice(-4) })}</NearLink>;
}
