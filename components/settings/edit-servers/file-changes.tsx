"use client";

import { useTranslations } from "use-intl";
import type { McpFileChange, McpFileChanges } from "@/lib/protocol/mcp-file";

export interface FileChangesProps {
  /** Absent while nothing was written, and where it cannot be read or is being looked at. */
  made: McpFileChanges | undefined;
  isDirty: boolean;
  isStale: boolean;
  /** Faults are marked in the text. */
  isMarked: boolean;
}

/** What saving would do, server by server. */
export function FileChanges({ made, isDirty, isStale, isMarked }: FileChangesProps) {
  const t = useTranslations("settings.servers.fileDialog");
  const form = useTranslations("settings.servers.form");
  return (
    <section aria-label={t("changes")} aria-live="polite" className="mt-4 text-mach">
      <h3 className="mb-1 text-micro text-ink-3">{t("changes")}</h3>
      {isStale && <p className="mb-2 text-shu">{t("stale")}</p>}
      {!isDirty && <p className="text-ink-2">{t("nothing")}</p>}
      {isDirty && isMarked && <p className="text-ink-2">{form("jsonMarked")}</p>}
      <ul>
        {made?.changes.map((change) => (
          <Line key={`${change.change} ${change.name}`} change={change} />
        ))}
      </ul>
      {made?.others && <p className="text-ink-2">{t("others")}</p>}
      {made && made.changes.length === 0 && <p className="text-ink-2">{t("same")}</p>}
    </section>
  );
}

function Line({ change: { name, change, fields, needsApproval } }: { change: McpFileChange }) {
  const t = useTranslations("settings.servers.fileDialog");
  return (
    <li className="py-1 rule-t wrap-anywhere">
      <b className="font-semibold">{name}</b> {t(change, { fields: fields.join(", ") })}
      {needsApproval && <span className="text-ink-2"> · {t("needsApproval")}</span>}
    </li>
  );
}
