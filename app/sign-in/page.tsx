import type { Metadata } from "next";
import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { readLocale, translator } from "@/app/i18n";
import { messages } from "@/app/messages";
import { Language } from "@/app/providers";
import { Entry } from "@/components/sign-in/entry";
import { SignInScreen } from "@/components/sign-in/sign-in-screen";
import { passkeyPlace } from "@/lib/server/accounts/passkey-site";
import { ownPath, providerButton, signInForm, toOidcFailure } from "@/lib/server/accounts/sign-in-page";
import { getDeps } from "@/lib/server/entry/deps";
import { publicUrl } from "@/lib/server/env";
import { hasLaunchToken } from "@/lib/server/http/guard";

export async function generateMetadata(): Promise<Metadata> {
  const t = await translator("account");
  return { title: `${t("signIn")} · Meguri` };
}

/** The words of the page come along here, and burden no other one. */
export default async function Page({ searchParams }: PageProps<"/sign-in">) {
  const deps = await getDeps();
  if (!deps.accounts) notFound();
  const { invitation, reset, next, failed } = await searchParams;
  const received = await headers();
  const form = await signInForm(deps, {
    invitation: one(invitation),
    reset: one(reset),
    mayFound: await hasLaunchToken(received, deps),
  });
  const locale = await readLocale();
  const t = await translator("account");
  const { account, common, errors, shell } = messages[locale];
  const words =
    form.kind === "join"
      ? [t("invited", { from: form.from }), t("invitedHere")]
      : [t("motto"), t("mottoNext")];
  return (
    <Language locale={locale} messages={{ account, common, errors, shell }}>
      <SignInScreen words={words} host={new URL(publicUrl(deps.env)).host}>
        <Entry
          form={form}
          next={ownPath(one(next))}
          provider={providerButton(deps.env, { next: ownPath(one(next)), invitation: one(invitation) })}
          failed={toOidcFailure(one(failed))}
          hasPasskeys={passkeyPlace(deps.env, received.get("host")).isHere}
        />
      </SignInScreen>
    </Language>
  );
}

/** Of what stands in an address twice the first. */
const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
