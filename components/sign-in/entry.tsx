"use client";

import { useFormatter, useTranslations } from "use-intl";
import { NearLink } from "@/components/ui/near-link";
import { setNewPassword, signIn, signUp } from "@/lib/client/settings/account";
import { passwordLength, type Role } from "@/lib/protocol/accounts";
import { EntryForm } from "./entry-form";
import { PasskeyEntry } from "./passkey-entry";
import { ProviderLead, type ProviderLeadProps } from "./provider-lead";

export interface EntryProps {
  form:
    | { kind: "sign_in" }
    | { kind: "first" }
    | { kind: "join"; invitation: string; from: string; role: Role; email: string | null; expiresAt: string }
    | { kind: "reset"; token: string }
    | { kind: "over" };
  /** Where one goes from here: a path of ours. */
  next: string;
  provider: ProviderLeadProps["provider"] | undefined;
  failed: ProviderLeadProps["failed"];
  /** Passkeys work on this page. */
  hasPasskeys: boolean;
}

/** What somebody who is not signed in can do here. */
export function Entry({ form, next, provider, failed, hasPasskeys }: EntryProps) {
  const t = useTranslations("account");
  const lead = provider && <ProviderLead provider={provider} failed={failed} />;
  switch (form.kind) {
    case "sign_in":
      return <SignIn next={next} lead={lead} hasPasskeys={hasPasskeys} />;
    case "first":
      return (
        <SignUp
          {...{ title: t("firstTitle"), note: t("firstNote"), lead }}
          action={t("first")}
          foot={t("firstFoot")}
        />
      );
    case "join":
      return <Join {...form} lead={lead} />;
    case "reset":
      return <NewPassword token={form.token} />;
    case "over":
      return (
        <>
          <h1 className="font-voice text-title">{t("overTitle")}</h1>
          <p className="mb-4 text-mach text-pretty text-ink-3">{t("overNote")}</p>
          <NearLink href="/sign-in" className="text-mach underline underline-offset-3">
            {t("toSignIn")}
          </NearLink>
        </>
      );
  }
}

/** Whole, so that the page that comes knows who is there. */
const leaveTo = (path: string) => window.location.replace(path);

interface Led {
  lead: React.ReactNode;
}

function SignIn({ next, lead, hasPasskeys }: Pick<EntryProps, "next" | "hasPasskeys"> & Led) {
  const t = useTranslations("account");
  return (
    <EntryForm
      title={t("signIn")}
      note={t("signInNote")}
      lead={lead}
      also={hasPasskeys && <PasskeyEntry onDone={() => leaveTo(next)} />}
      fields={[
        { name: "email", label: t("email"), type: "email", autoComplete: "username" },
        { name: "password", label: t("password"), type: "password", autoComplete: "current-password" },
      ]}
      action={t("signIn")}
      acting={t("signingIn")}
      foot={t("signInFoot")}
      send={async ({ email, password }) => {
        await signIn(email, password);
        leaveTo(next);
      }}
    />
  );
}

function Join({
  invitation,
  from,
  role,
  email,
  expiresAt,
  lead,
}: Extract<EntryProps["form"], { kind: "join" }> & Led) {
  const t = useTranslations("account");
  const format = useFormatter();
  const until = format.dateTime(new Date(expiresAt), { dateStyle: "long", timeStyle: "short" });
  return (
    <SignUp
      title={t("joinTitle")}
      // The zone of the browser counts, which the server does not know.
      note={<span suppressHydrationWarning>{t("joinNote", { from, role, until })}</span>}
      lead={lead}
      action={t("join")}
      foot={t("joinFoot")}
      invitation={invitation}
      email={email}
    />
  );
}

interface SignUpProps extends Led {
  title: string;
  note: React.ReactNode;
  action: string;
  foot: string;
  invitation?: string;
  /** Of the invitation, where it is for one address. */
  email?: string | null;
}

function SignUp({ title, note, lead, action, foot, invitation, email = null }: SignUpProps) {
  const t = useTranslations("account");
  return (
    <EntryForm
      {...{ title, note, lead, action, foot }}
      fields={[
        { name: "name", label: t("name"), type: "text", autoComplete: "name" },
        {
          ...{ name: "email", label: t("email"), type: "email", autoComplete: "username" },
          ...(email !== null && { fixed: email }),
        },
        {
          ...{ name: "password", label: t("password"), type: "password", autoComplete: "new-password" },
          hint: t("passwordHint", { min: passwordLength.min }),
        },
      ]}
      acting={t("joining")}
      send={async (fields) => {
        await signUp({ ...fields, ...(invitation !== undefined && { invitation }) });
        leaveTo("/");
      }}
    />
  );
}

function NewPassword({ token }: { token: string }) {
  const t = useTranslations("account");
  return (
    <EntryForm
      title={t("resetTitle")}
      note={t("resetNote")}
      fields={[
        {
          ...{ name: "password", label: t("newPassword"), type: "password", autoComplete: "new-password" },
          hint: t("passwordHint", { min: passwordLength.min }),
        },
      ]}
      action={t("reset")}
      acting={t("joining")}
      foot={t("resetFoot")}
      send={async ({ password }) => {
        await setNewPassword(token, password);
        leaveTo("/sign-in");
      }}
    />
  );
}
