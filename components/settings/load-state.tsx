"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Skeleton } from "@/components/ui/skeleton";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useGap } from "@/components/ui/words/use-gap";
import type { ApiError } from "@/lib/client/http/http";

/** In place of a list that is not there yet: loading, or failed, with the reason and a retry. */
export function LoadState({
  error,
  onRetry,
  lines = 4,
}: {
  error: ApiError | undefined;
  onRetry(): void;
  /** Of the list that is to come. */
  lines?: number;
}) {
  const t = useTranslations("settings");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const gap = useGap();
  if (!error)
    return (
      <div className="rule-t">
        <Skeleton lines={lines} height={60} label={common("loading")} />
      </div>
    );
  return (
    <div role="alert" className="py-3 text-mach rule-y">
      <p className="mb-3">
        <b className="font-semibold text-shu">{t("failed")}</b>
        {gap}
        {errorText(error)}
      </p>
      <Button onClick={onRetry}>{common("tryAgain")}</Button>
    </div>
  );
}
