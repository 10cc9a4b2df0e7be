"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import type { AppState } from "./use-app-session";
import type { Reach } from "./use-reach";

export interface AppNotesProps {
  state: AppState;
  failure: string | null;
  reach: Reach;
  /** Opens it once more. */
  onAgain(): void;
}

/** What an app lacks, in words under its frame. */
export function AppNotes({ state, failure, reach, onAgain }: AppNotesProps) {
  const t = useTranslations("chat.app");
  const common = useTranslations("common");
  const { wanted, failed, held } = reach;
  // An app that lacks what it wants to load may well not begin.
  const isSilent = state === "silent" && wanted.length === 0;
  const broken = failure ?? (state === "left" || isSilent ? t(state) : null);
  const list = (hosts: readonly string[]) => hosts.join(", ");
  return (
    <div className="text-mach wrap-anywhere text-ink-2 *:mt-1" role="status">
      {broken && (
        <p>
          {broken}{" "}
          <Button small tone="quiet" onClick={onAgain}>
            {common("tryAgain")}
          </Button>
        </p>
      )}
      {wanted.length > 0 && (
        <p>
          {t("wants", { hosts: list(wanted) })}{" "}
          <Button small onClick={reach.allow}>
            {t("allowHosts")}
          </Button>
        </p>
      )}
      {failed.length > 0 && <p>{t("unreachable", { hosts: list(failed) })}</p>}
      {held.length > 0 && <p>{t("held", { hosts: list(held) })}</p>}
    </div>
  );
}
