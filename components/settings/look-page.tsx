"use client";

import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { useLocale, useTranslations } from "use-intl";
import { Choice } from "@/components/ui/controls/choice";
import { usePageRuns } from "@/components/ui/use-page-runs";
import { FormRow } from "./form-row";
import { PageHead } from "./page-head";

export function LookPage() {
  const t = useTranslations("settings.look");
  const { theme = "system", setTheme } = useTheme();
  // What was chosen is known to the browser only.
  const isKnown = usePageRuns();
  const locale = useLocale();
  const router = useRouter();
  const speak = (language: string) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the server draws the page from it; CookieStore is missing in Safari and on plain http
    document.cookie = `locale=${language}; path=/; max-age=${60 * 60 * 24 * 365}; samesite=lax`;
    router.refresh();
  };
  return (
    <>
      <PageHead title={t("title")} />
      <div className="rule-y">
        <FormRow label={t("theme")} isGroup>
          {({ labelId }) => (
            <Choice
              labelledBy={labelId}
              options={themes.map((value) => ({ value, label: t(value) }))}
              value={themes.find((known) => isKnown && known === theme)}
              onChange={setTheme}
            />
          )}
        </FormRow>
        <FormRow label={t("language")} hint={t("languageHint")} isGroup>
          {({ labelId }) => (
            <Choice
              labelledBy={labelId}
              options={(["en", "ja"] as const).map((value) => ({ value, label: t(value), lang: value }))}
              value={locale}
              onChange={speak}
            />
          )}
        </FormRow>
      </div>
    </>
  );
}

const themes = ["light", "dark", "system"] as const;
