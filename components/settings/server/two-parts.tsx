"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/button";

export interface TwoPartsProps {
  list: ReactNode;
  /** Of what is chosen. */
  children: ReactNode;
  /** On phones only one of the two is seen. */
  isChosen: boolean;
  onBack(): void;
}

/** A list, and beside it what was chosen from it. */
export function TwoParts({ list, children, isChosen, onBack }: TwoPartsProps) {
  const t = useTranslations("server");
  return (
    <div className="two" data-chosen={isChosen}>
      <div className="two-list">{list}</div>
      <div className="two-part">
        <Button tone="quiet" icon="arrowLeft" className="two-back" onClick={onBack}>
          {t("back")}
        </Button>
        {children}
      </div>
    </div>
  );
}
