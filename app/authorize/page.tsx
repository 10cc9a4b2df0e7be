import type { Metadata } from "next";
import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { readLocale, translator } from "@/app/i18n";
import { messages } from "@/app/messages";
import { Language } from "@/app/providers";
import { Consent } from "@/components/sign-in/consent";
import { SignInScreen } from "@/components/sign-in/sign-in-screen";
import { getDeps } from "@/lib/server/entry/deps";
import { publicUrl } from "@/lib/server/env";
import { personOf } from "@/lib/server/http/guard";
import { placeOf, readAuthorization } from "@/lib/server/oauth/authorize";

export async function generateMetadata(): Promise<Metadata> {
  const t = await translator("account");
  return { title: `${t("authorize.allow")} · Meguri` };
}

/** Where a program that knows OAuth sends its person: who asks, for what, and where the answer goes. */
export default async function Page({ searchParams }: PageProps<"/authorize">) {
  const deps = await getDeps();
  if (!(await personOf(await headers(), deps))) notFound();
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(await searchParams))
    for (const value of [values].flat()) if (value !== undefined) query.append(name, value);
  const asked = readAuthorization(deps, query);
  const locale = await readLocale();
  const t = await translator("account");
  const { account, common, errors, shell } = messages[locale];
  return (
    <Language locale={locale} messages={{ account, common, errors, shell }}>
      <SignInScreen words={[t("motto"), t("mottoNext")]} host={new URL(publicUrl(deps.env)).host}>
        {typeof asked === "string" ? (
          <>
            <h1 className="font-voice text-title">{t("authorize.wrongTitle")}</h1>
            <p className="mt-1 text-mach text-pretty text-ink-2">{t(`authorize.wrong.${asked}`)}</p>
          </>
        ) : (
          <Consent
            request={query.toString()}
            place={placeOf(asked.redirectUri)}
            name={asked.name || placeOf(asked.redirectUri)}
          />
        )}
      </SignInScreen>
    </Language>
  );
}
