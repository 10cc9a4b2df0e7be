"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button, buttonClass } from "@/components/ui/controls/button";
import { useIsOwnConnection } from "@/components/ui/words/account";
import { beginLogin, serverActions } from "@/lib/client/servers/server-actions";
import { useIsManaged } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";

/** Begins a sign-in and says whose page comes before anybody goes there. */
export function SignIn({ server }: { server: McpServerItem }) {
  const t = useTranslations("settings.servers");
  const act = useAct();
  const isManaged = useIsManaged(server);
  const [busy, setBusy] = useState(false);
  const [page, setPage] = useState<{ url: string; host: string } | null>(null);
  const begin = async () => {
    setBusy(true);
    await act(async () => setPage(await beginLogin(server.name)));
    setBusy(false);
  };
  if (page)
    return (
      <p className="flex basis-full flex-wrap items-center justify-end gap-2" role="status">
        <span className="mr-auto min-w-0 wrap-anywhere">
          {t.rich("signInAt", {
            host: page.host,
            b: (text) => <b className="font-semibold text-ink">{text}</b>,
          })}
        </span>
        <a className={buttonClass("ink")} href={page.url} rel="noreferrer">
          {t("goOn")}
        </a>
        <Button onClick={() => setPage(null)}>{t("notNow")}</Button>
      </p>
    );
  const host = server.login?.privateHost;
  if (host)
    return (
      <p className="flex basis-full flex-wrap items-center justify-end gap-2" role="status">
        <span className="mr-auto min-w-0 wrap-anywhere">
          {t.rich("privateHost", { host, b: (text) => <b className="font-semibold text-ink">{text}</b> })}
        </span>
        <Button
          tone="ink"
          disabled={isManaged}
          onClick={() => act(() => serverActions.allowHost(server.name, server.config, host))}
        >
          {t("allowHost")}
        </Button>
      </p>
    );
  return (
    <Button tone="ink" disabled={busy} aria-busy={busy} onClick={begin}>
      {t(busy ? "asking" : "signIn")}
    </Button>
  );
}

/** Who lets us in, and how to leave. */
export function SignInFacts({ server }: { server: McpServerItem }) {
  const t = useTranslations("settings.servers");
  const act = useAct();
  const maySignOut = useIsOwnConnection(server);
  const { name, login } = server;
  if (!login?.signedIn) return null;
  return (
    <p className="mt-2 flex flex-wrap items-center gap-2 text-ink-2">
      <span>{login.issuer ? t("signedInAt", { host: hostOf(login.issuer) }) : t("signedIn")}</span>
      {login.scope && <code className="text-micro text-ink-3">{login.scope}</code>}
      {maySignOut && <Button onClick={() => act(() => serverActions.logout(name))}>{t("signOut")}</Button>}
    </p>
  );
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);
