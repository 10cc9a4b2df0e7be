"use client";

import { useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { Rows } from "@/components/settings/rows";
import { Section } from "@/components/settings/section";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { useAccount } from "@/components/ui/words/account";
import { endSessions, refreshSessions, useSessions } from "@/lib/client/settings/account";
import type { SessionItem } from "@/lib/protocol/accounts";
import type { PasskeyPlace } from "@/lib/protocol/passkeys";
import { agentWords } from "./agent-words";
import { NewToken } from "./new-token";
import { PasskeySection } from "./passkey-section";
import { PasswordForm } from "./password-form";
import { TokenList } from "./token-list";

/** Who is signed in here, and where else. Without a password they come from the identity provider. */
export function AccountPage({ hasPassword, passkeys }: { hasPassword: boolean; passkeys: PasskeyPlace }) {
  const t = useTranslations("settings.account");
  const roles = useTranslations("settings.people.roles");
  const tokens = useTranslations("settings.tokens");
  const account = useAccount();
  const { data, error } = useSessions();
  const act = useAct();
  const [isChanging, setChanging] = useState(false);
  const newToken = useRef<HTMLButtonElement>(null);
  const others = data?.items.some(({ current }) => !current) ?? false;
  return (
    <>
      <PageHead
        title={account?.name || t("title")}
        lede={account && <p>{t("lede", { email: account.email, role: roles(account.role) })}</p>}
      />
      <Section
        title={t("signedIn")}
        note={t("signedInNote")}
        action={
          others && <Button onClick={() => void act(() => endSessions())}>{t("signOutElsewhere")}</Button>
        }
      >
        {data ? (
          <Rows inSection aria-label={t("signedIn")}>
            {data.items.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Rows>
        ) : (
          <LoadState error={error} onRetry={refreshSessions} lines={2} />
        )}
      </Section>
      <PasskeySection {...passkeys} />
      <Section title={tokens("title")} note={tokens("note")} action={<NewToken ref={newToken} />}>
        <TokenList inSection newToken={newToken} />
      </Section>
      <Section title={t("password")} note={hasPassword ? t("passwordNote") : t("noPassword")}>
        {!hasPassword ? null : isChanging ? (
          <PasswordForm onClose={() => setChanging(false)} />
        ) : (
          <Button onClick={() => setChanging(true)}>{t("change")}</Button>
        )}
      </Section>
    </>
  );
}

function SessionRow({ session }: { session: SessionItem }) {
  const t = useTranslations("settings.account");
  const format = useFormatter();
  const act = useAct();
  const known = agentWords(session.agent);
  const name = known ? t("browserOn", known) : t("unknownBrowser");
  return (
    <li className="flex min-h-11 items-center gap-x-4 py-1 rule-t">
      <span className="min-w-0 flex-1">
        <b className="block truncate font-semibold">{session.current ? t("thisBrowser") : name}</b>
        <small className="block truncate text-micro text-ink-3">
          {session.current ? name : t("since", { when: format.dateTime(new Date(session.createdAt), day) })}
        </small>
      </span>
      <span className="text-ink-2">
        {session.current ? t("now") : format.dateTime(new Date(session.lastSeenAt), moment)}
      </span>
      {!session.current && (
        <TextButton
          className="self-center"
          aria-label={t("signOutLabel", { name })}
          onClick={() => void act(() => endSessions(session.id))}
        >
          {t("signOut")}
        </TextButton>
      )}
    </li>
  );
}

const day = { dateStyle: "medium" } as const;
const moment = { dateStyle: "medium", timeStyle: "short" } as const;
