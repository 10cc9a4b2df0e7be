"use client";

import { useTranslations } from "use-intl";
import { cn } from "./cn";
import { Button } from "./controls/button";

export interface LoadFailedProps {
  /** What could not be loaded. */
  text: string;
  className?: string;
  onRetry(): unknown;
}

/** In place of a list that could not be loaded. */
export function LoadFailed({ text, className, onRetry }: LoadFailedProps) {
  const t = useTranslations("common");
  return (
    <div className={cn("text-ink-2", className)} role="alert">
      <p>{text}</p>
      <Button small tone="quiet" className="-ml-2" onClick={() => onRetry()}>
        {t("tryAgain")}
      </Button>
    </div>
  );
}
