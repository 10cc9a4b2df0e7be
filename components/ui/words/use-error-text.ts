"use client";

import { useCallback } from "react";
import { useTranslations } from "use-intl";
import { asApiError } from "@/lib/client/http/http";
import { useSentence } from "./sentences";

/** The words for a failed request: ours where the server could not speak, else the server's own sentence, in the language of the page. */
export function useErrorText(): (error: unknown) => string {
  const t = useTranslations("errors");
  const inWords = useSentence();
  return useCallback(
    (error) => {
      const { code, status, message } = asApiError(error);
      if (code === "offline") return t("offline");
      return status === 401 ? t("unauthorized") : inWords(message);
    },
    [t, inWords],
  );
}
