"use client";

import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";

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
  const back = useRef<HTMLButtonElement>(null);
  useFollowingFocus(back, isChosen);
  return (
    <div className="grid grid-cols-[376px_minmax(0,1fr)] items-start gap-8 mid:grid-cols-[340px_minmax(0,1fr)] @max-[680px]/page:block">
      <div className={cn(isChosen && "@max-[680px]/page:hidden")}>{list}</div>
      <div className={cn("@container/part min-w-0", !isChosen && "@max-[680px]/page:hidden")}>
        <div className="mt-2 -ml-2 hidden @max-[680px]/page:block phone:mt-0">
          <Button ref={back} tone="quiet" icon="arrowLeft" onClick={onBack}>
            {t("back")}
          </Button>
        </div>
        {children}
      </div>
    </div>
  );
}

/** The row of the list that is shown beside it; where it is shown alone, nothing is marked. */
export const chosenRowClass =
  "-mx-3 bg-paper-2 px-3 @max-[680px]/page:mx-0 @max-[680px]/page:bg-transparent @max-[680px]/page:px-0";

/** Where the press that opens a part hides the list, focus goes to the way back, and from there to where it was. */
function useFollowingFocus(back: RefObject<HTMLElement | null>, isChosen: boolean): void {
  const before = useRef<Element | null>(null);
  useEffect(() => {
    if (isChosen && back.current?.checkVisibility()) {
      before.current = document.activeElement;
      back.current.focus();
    } else if (before.current instanceof HTMLElement) {
      before.current.focus();
      before.current = null;
    }
  }, [back, isChosen]);
}
