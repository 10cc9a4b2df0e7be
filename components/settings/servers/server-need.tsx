"use client";

import { lazy, Suspense, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { ForAdmins, ForOwner, ForUser, useIsAdmin, useIsOwnConnection } from "@/components/ui/words/account";
import { useSentence } from "@/components/ui/words/sentences";
import { heldDefinitions, serverActions } from "@/lib/client/servers/server-actions";
import { useIsManaged } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { NeedLine, NeedWords } from "./need-line";
import { ServerApproval } from "./server-approval";
import { ServerLog } from "./server-log";
import { ServerSecrets } from "./server-secrets";
import { SignIn } from "./sign-in";

const ServerForm = lazy(() => import("@/components/settings/edit-servers/server-form"));

/** What keeps the server from working, in full, with the next step. */
export function ServerNeed({ server }: { server: McpServerItem }) {
  return (
    <>
      <HiddenOwn server={server} />
      <StateNeed server={server} />
    </>
  );
}

/** The operator's has taken the name of one's own. An admin removes theirs on this very page, and has their own back. */
function HiddenOwn({ server: { name, hidesOwn } }: { server: McpServerItem }) {
  const t = useTranslations("settings.servers");
  const act = useAct();
  const isAdmin = useIsAdmin();
  if (!hidesOwn) return null;
  return (
    <NeedLine>
      <NeedWords className="text-ink-2">{t("hidesOwn", { name })}</NeedWords>
      {!isAdmin && <Button onClick={() => act(() => serverActions.remove(name))}>{t("removeHidden")}</Button>}
    </NeedLine>
  );
}

function StateNeed({ server }: { server: McpServerItem }) {
  const t = useTranslations("settings.servers");
  const isAdmin = useIsAdmin();
  switch (server.status) {
    case "needs_approval":
      return isAdmin ? (
        <ServerApproval key={server.approvalHash} server={server} />
      ) : (
        <NeedLine>
          <NeedWords className="text-ink-2">{t("adminApproves")}</NeedWords>
        </NeedLine>
      );
    case "needs_login":
    case "failed":
      return <Fault server={server} />;
    case "ready":
    case "sleeping":
      return (
        <>
          <ChangedTools server={server} />
          <Crash server={server} />
        </>
      );
    case "connecting":
      return <Crash server={server} />;
    case "disabled":
      return <ReasonOff server={server} />;
  }
}

/** It is off although its entry has it on. */
function ReasonOff({ server: { lastError } }: { server: McpServerItem }) {
  const inWords = useSentence();
  if (!lastError) return null;
  return (
    <NeedLine>
      <NeedWords className="text-ink-2">{inWords(lastError.message)}</NeedWords>
    </NeedLine>
  );
}

function Fault({ server }: { server: McpServerItem }) {
  const t = useTranslations("settings.servers");
  const inWords = useSentence();
  const act = useAct();
  const [log, setLog] = useState(false);
  const [editing, setEditing] = useState(false);
  const maySignIn = useIsOwnConnection(server);
  const isManaged = useIsManaged(server);
  const login = server.status === "needs_login";
  const isMissing = server.secrets.some(({ stored, used }) => used && !stored);
  const asksOnly = login && server.login && server.lastError?.code === "login_required";
  return (
    <>
      <NeedLine>
        <NeedWords>{asksOnly ? t("needsLogin") : inWords(server.lastError?.message ?? "")}</NeedWords>
        <ForAdmins>
          <Button aria-expanded={log} onClick={() => setLog(!log)}>
            {t("log")}
          </Button>
        </ForAdmins>
        <ForOwner server={server}>
          <Button disabled={isManaged} onClick={() => setEditing(true)}>
            {t("edit")}
          </Button>
        </ForOwner>
        <ForUser server={server}>
          {/* What is missing is entered below, which starts it. */}
          {!login && !isMissing && (
            <Button tone="ink" onClick={() => act(() => serverActions.restart(server.name))}>
              {t("restart")}
            </Button>
          )}
        </ForUser>
        {login && server.login && maySignIn && <SignIn server={server} />}
      </NeedLine>
      {isMissing && <ServerSecrets server={server} missing />}
      {log && (
        <div className="mt-3">
          <ServerLog name={server.name} />
        </div>
      )}
      {editing && (
        <Suspense fallback={null}>
          <ServerForm server={server} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </>
  );
}

/** After this only the log tells of it. */
const crashShownMs = 60 * 60 * 1000;

/** It has restarted or will, so there is nothing to do; but what it was doing may be half done. */
function Crash({ server: { lastCrash } }: { server: McpServerItem }) {
  const t = useTranslations("settings.servers");
  const inWords = useSentence();
  const format = useFormatter();
  if (!lastCrash || Date.now() - Date.parse(lastCrash.at) > crashShownMs) return null;
  const time = format.dateTime(new Date(lastCrash.at), {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (
    <NeedLine>
      <NeedWords className="text-ink-2">
        {t("crashed", { time, message: inWords(lastCrash.message) })}
      </NeedWords>
    </NeedLine>
  );
}

/** The details show which, and what to do about them. */
function ChangedTools({ server }: { server: McpServerItem }) {
  const t = useTranslations("settings.servers");
  const count = heldDefinitions(server);
  if (count === 0) return null;
  return (
    <NeedLine>
      <NeedWords className="text-shu">{t("changed", { count })}</NeedWords>
    </NeedLine>
  );
}
