"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { leaveTarget } from "./use-message-target";

export interface OtherBranchProps {
  /** Makes the branch that is shown the current one. */
  onChoose(): void;
  onBack(): void;
}

/** Over a branch that a search has led to: what is stored as the current one is another. */
export function OtherBranch({ onChoose, onBack }: OtherBranchProps) {
  const t = useTranslations("chat.find");
  const leaving = (act: () => void) => () => {
    leaveTarget();
    act();
  };
  return (
    <div role="status" className="flex-none bg-paper-2 rule-b">
      <div className="column flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-mach">
        <p className="min-w-0 flex-1 text-pretty text-ink-2 phone:basis-full">{t("otherBranch")}</p>
        <Button small onClick={leaving(onChoose)}>
          {t("choose")}
        </Button>
        <Button small tone="quiet" onClick={leaving(onBack)}>
          {t("back")}
        </Button>
      </div>
    </div>
  );
}
