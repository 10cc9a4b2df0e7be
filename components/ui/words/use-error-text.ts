"use client";

import { useCallback } from "react";
import { useTranslations } from "use-intl";
import { asApiError } from "@/lib/client/http/http";
import { useAccount } from "./account";
import { useSentence } from "./sentences";

/** The words for a failed request: ours where the server could not speak, else the server's own sentence, in the language of the page. */
export function useErrorText(): (error: unknown) => string {
  const t = useTranslations("errors");
  const inWords = useSentence();
  const hasAccounts = useAccount() !== null;
  return useCallback(
    (error) => {
      const { code, status, message } = asApiError(error);
      if (code === "offline") return t("offline");
      // A wrong password or passkey has a sentence of its own.
      if (status !== 401 || code.startsWith("wrong_")) return inWords(message);
      return t(hasAccounts ? "signedOut" : "unauthorized");
    },
    [t, inWords, hasAccounts],
  );
}
