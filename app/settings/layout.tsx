import type { Metadata } from "next";
import type { ReactNode } from "react";
import { readLocale, translator } from "@/app/i18n";
import { messages } from "@/app/messages";
import { Language } from "@/app/providers";
import { SettingsFrame } from "@/components/settings/settings-frame";

export async function generateMetadata(): Promise<Metadata> {
  const t = await translator("settings");
  return { title: `${t("title")} · Meguri` };
}

/** The words of the settings come along here, and burden no other page. */
export default async function SettingsLayout({ children }: { children: ReactNode }) {
  const locale = await readLocale();
  return (
    <Language locale={locale} messages={messages[locale]}>
      <SettingsFrame>{children}</SettingsFrame>
    </Language>
  );
}
