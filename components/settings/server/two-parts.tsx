"use client";

import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/button";

export interface TwoPartsProps {
  list: ReactNode;
  /** Of what is chosen. */
  children: ReactNode;
  /** Where the page is narrow, only one of the two is seen. */
  isChosen: boolean;
  onBack(): void;
}

/** A list, and beside it what was chosen from it. */
export function TwoParts({ list, children, isChosen, onBack }: TwoPartsProps) {
  const t = useTranslations("server");
  const both = useRef<HTMLDivElement>(null);
  useFollowingFocus(both, isChosen);
  return (
    <div className="two" data-chosen={isChosen} ref={both}>
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

/** Where the press that opens a part hides the list, focus goes to the way back, and from there to where it was. */
function useFollowingFocus(both: RefObject<HTMLDivElement | null>, isChosen: boolean): void {
  const before = useRef<Element | null>(null);
  useEffect(() => {
    const back = both.current?.querySelector<HTMLElement>(".two-back");
    if (isChosen && back?.checkVisibility()) {
      before.current = document.activeElement;
      back.focus();
    } else if (before.current instanceof HTMLElement) {
      before.current.focus();
      before.current = null;
    }
  }, [both, isChosen]);
}
