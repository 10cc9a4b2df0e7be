"use client";

import { useRef } from "react";
import { useTranslations } from "use-intl";
import { PageHead } from "@/components/settings/page-head";
import { NewToken } from "./new-token";
import { TokenList } from "./token-list";

/** API tokens where there are no accounts, and so no page of one. */
export function TokensPage() {
  const t = useTranslations("settings.tokens");
  const newToken = useRef<HTMLButtonElement>(null);
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>}>
        <NewToken ref={newToken} />
      </PageHead>
      <TokenList newToken={newToken} />
    </>
  );
}
