"use client";

import { type ReactNode, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button, buttonClass } from "@/components/ui/controls/button";
import { NearLink } from "@/components/ui/near-link";
import { useIsOwnConnection } from "@/components/ui/words/account";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import { beginLogin } from "@/lib/client/servers/server-actions";
import { refreshServers, useServers } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { isPressed } from "./answer-buttons";
import { CardActs, CardBar } from "./card-bar";
import { CardFrame } from "./card-frame";
import type { InputCardProps } from "./input-card";

export interface SignInCardProps extends InputCardProps {
  chat: ChatStore;
}

/** A call that waits until somebody signs in to its server; whose page comes is said before anybody goes there. */
export default function SignInCard({ request, chat, onAnswer, ...place }: SignInCardProps) {
  const t = useTranslations("chat.card.signIn");
  const act = useAct();
  const [isSent, setSent] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [page, setPage] = useState<LoginPage | null>(null);
  const busy = isSent || place.isArriving;
  const { server } = request;
  const { data } = useServers();
  const item = data?.items.find(({ name }) => name === server);
  const isFresh = useGoingOn(chat, item);
  const maySignIn = useIsOwnConnection(item ?? { scope: "shared" });
  const step = isFresh ? nextStep(item, page !== null, place.since ?? 0) : "begin";
  // Until the servers are known nobody is sent to an admin.
  const next = maySignIn || !item || step === "goOn" ? step : "admin";
  const isConnecting = !isFresh || item?.status === "connecting";
  const answer = async (action: "accept" | "decline") => {
    if (busy) return;
    setSent(true);
    await onAnswer({ action });
    setSent(false);
  };
  const begin = async () => {
    if (busy || isAsking || isConnecting) return;
    setAsking(true);
    await act(async () => setPage(await beginLogin(server, chat.conversation.getState().id ?? undefined)));
    setAsking(false);
  };
  const words = {
    server,
    host: page?.host ?? "",
    b: (text: ReactNode) => <b className="font-semibold text-ink">{text}</b>,
  };
  return (
    <CardFrame
      title={t("title", { server })}
      asks="answer"
      busy={busy}
      {...place}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.repeat) return;
        if (isPressed(event, "D")) void answer("decline");
        if (!isPressed(event, "Mod+Enter") || event.target instanceof HTMLAnchorElement) return;
        event.preventDefault();
        if (next === "begin") void begin();
        if (next === "goOn") void answer("accept");
      }}
    >
      <p className="mb-2 text-mach text-ink-2">{t.rich("why", words)}</p>
      {next !== "begin" && (
        <p role="status" className="text-mach">
          {t.rich(
            ({ visit: "signInAt", goOn: "ready", elsewhere: "elsewhere", admin: "admin" } as const)[next],
            words,
          )}
        </p>
      )}
      <Answers
        next={next}
        page={page}
        busy={busy}
        isAsking={isAsking || isConnecting}
        isReady={isFresh && item?.status === "ready"}
        server={server}
        onBegin={begin}
        onAnswer={answer}
      />
    </CardFrame>
  );
}

interface AnswersProps {
  next: NextStep;
  page: LoginPage | null;
  busy: boolean;
  isAsking: boolean;
  isReady: boolean;
  server: string;
  onBegin(): Promise<void>;
  onAnswer(action: "accept" | "decline"): Promise<void>;
}

function Answers({ next, page, busy, isAsking, isReady, server, onBegin, onAnswer }: AnswersProps) {
  const t = useTranslations("chat.card.signIn");
  return (
    <CardBar>
      <CardActs>
        {next === "begin" && (
          <Button
            tone="ink"
            keys="Mod+Enter"
            disabled={busy || isAsking}
            aria-busy={isAsking}
            onClick={onBegin}
          >
            {t(isAsking ? "asking" : "signIn")}
          </Button>
        )}
        {next === "visit" && (
          // The button that had the focus is gone.
          <a ref={focus} className={buttonClass("ink")} href={page?.url} rel="noreferrer">
            {t("go", { host: page?.host ?? "" })}
          </a>
        )}
        {isReady && (
          <Button
            {...(next === "goOn" && { tone: "ink", keys: "Mod+Enter" })}
            disabled={busy}
            onClick={() => void onAnswer("accept")}
          >
            {t("goOn")}
          </Button>
        )}
        {next === "elsewhere" && (
          <NearLink className={buttonClass("ink")} href={`/settings/mcp/${encodeURIComponent(server)}`}>
            {t("page")}
          </NearLink>
        )}
        <Button
          keys="D"
          className={isReady ? undefined : "phone:col-span-full"}
          disabled={busy}
          onClick={() => void onAnswer("decline")}
        >
          {t("decline")}
        </Button>
      </CardActs>
    </CardBar>
  );
}

const focus = (link: HTMLAnchorElement | null) => link?.focus({ preventScroll: true });

type LoginPage = { url: string; host: string };
type NextStep = "begin" | "visit" | "goOn" | "elsewhere" | "admin";

/** What a person can do about it, as far as the page knows the server. */
function nextStep(item: McpServerItem | undefined, hasPage: boolean, askedAt: number): NextStep {
  if (!item || !["ready", "needs_login", "connecting"].includes(item.status)) return "elsewhere";
  const { status, login } = item;
  // One that answers everybody and refuses the call alone is ready, and still wants a sign-in.
  const isSignedIn = !login || Date.parse(login.signedInAt ?? "") > askedAt;
  if (status === "ready" && isSignedIn) return "goOn";
  if (hasPage) return "visit";
  // A page in a private network has to be allowed first, and that is asked on the page of the server.
  return login?.privateHost ? "elsewhere" : "begin";
}

/**
 * People sign in elsewhere too, and the run goes on without this page: it looks for both. False until it is known how the
 * server is since the question came.
 */
function useGoingOn(chat: ChatStore, item: McpServerItem | undefined): boolean {
  const [isFresh, setFresh] = useState(false);
  const isReady = isFresh && item?.status === "ready";
  useEffect(() => {
    let left = tries;
    const look = () => {
      if (document.hidden) return;
      if (!isReady) void refreshServers().finally(() => setFresh(true));
      else if (left-- > 0) void chat.conversation.refresh();
    };
    const timer = setInterval(look, isReady ? goOnPaceMs : signInPaceMs);
    look();
    return () => clearInterval(timer);
  }, [chat, isReady]);
  return isFresh;
}

const signInPaceMs = 3_000;
const goOnPaceMs = 1_000;
const tries = 10;
