"use client";

import { useCallback } from "react";
import { useTranslations } from "use-intl";
import { asApiError } from "@/lib/client/http";

/** The words for a failed request: ours where the server could not speak, else the server's own sentence. */
export function useErrorText(): (error: unknown) => string {
  const t = useTranslations("errors");
  return useCallback(
    (error) => {
      const { code, status, message } = asApiError(error);
      if (code === "offline") return t("offline");
      return status === 401 ? t("unauthorized") : message;
    },
    [t],
  );
}
