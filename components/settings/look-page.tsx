"use client";

import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { type ReactNode, useSyncExternalStore } from "react";
import { useLocale, useTranslations } from "use-intl";
import { PageHead } from "./page-head";

export function LookPage() {
  const t = useTranslations("settings.look");
  const { theme = "system", setTheme } = useTheme();
  // What was chosen is known to the browser only.
  const known = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
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
      <Choices
        name="theme"
        legend={t("theme")}
        options={[
          ["light", t("light")],
          ["dark", t("dark")],
          ["system", t("system")],
        ]}
        chosen={known ? theme : ""}
        onChoose={setTheme}
      />
      <Choices
        name="language"
        legend={t("language")}
        options={[
          ["en", t("en")],
          ["ja", t("ja")],
        ]}
        chosen={locale}
        onChoose={speak}
      >
        <p className="mt-1 text-micro text-ink-3">{t("languageHint")}</p>
      </Choices>
    </>
  );
}

interface ChoicesProps {
  name: string;
  legend: string;
  options: readonly (readonly [value: string, label: string])[];
  chosen: string;
  onChoose(value: string): void;
  children?: ReactNode;
}

function Choices({ name, legend, options, chosen, onChoose, children }: ChoicesProps) {
  return (
    <fieldset className="mt-6">
      <legend className="mb-2 font-voice text-voice">{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map(([value, label]) => (
          <label key={value} className="choice" lang={name === "language" ? value : undefined}>
            <input
              type="radio"
              className="sr-only"
              name={name}
              checked={value === chosen}
              onChange={() => onChoose(value)}
            />
            {label}
          </label>
        ))}
      </div>
      {children}
    </fieldset>
  );
}
