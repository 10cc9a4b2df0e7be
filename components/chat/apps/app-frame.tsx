"use client";

import { useContext, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Button, IconButton } from "@/components/ui/button";
import { Ring } from "@/components/ui/ring";
import { useErrorText } from "@/components/ui/use-error-text";
import type { AppMode } from "@/lib/client/app-session";
import { callForApp, openApp, readForApp } from "@/lib/client/apps";
import type { ToolView } from "@/lib/client/run-view";
import type { McpApp } from "@/lib/protocol/http";
import type { ToolResult } from "@/lib/protocol/message";
import { AppAsk } from "./app-ask";
import { AppNotes } from "./app-notes";
import { AppText } from "./app-text";
import { useAppSession } from "./use-app-session";
import { useAsks } from "./use-asks";
import { useFullscreen } from "./use-fullscreen";
import { useReach } from "./use-reach";
import "./apps.css";

export interface AppFrameProps {
  item: ToolView;
  server: string;
  /** `ui://` address of the app. */
  uri: string;
  onClose(): void;
}

const minHeight = 80;
const maxHeight = 640;
const mostTexts = 20;

/** An app of a server in its frame, with what it asks and what it was refused in words around it. */
export default function AppFrame({ item, server, uri, onClose }: AppFrameProps) {
  const t = useTranslations("chat.app");
  const [attempt, setAttempt] = useState(0);
  const { app, failure } = useApp(server, uri, attempt);
  const reach = useReach(server, uri, app);
  const asks = useAsks();
  const section = useRef<HTMLElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [mode, setMode] = useState<AppMode>("inline");
  const [height, setHeight] = useState(240);
  const write = useWrite();
  useFullscreen(section, mode, setMode);
  const title = t("title", { server });
  const state = useAppSession(frame, {
    ...{ item, title, mode, maxHeight },
    html: app?.html,
    page: reach.page,
    host: {
      callTool: callerOf(server, item, asks.put),
      read: (address) => readForApp(server, address),
      openLink: async (url) => isLink(url) && (await asks.put({ kind: "link", url })) !== "no",
      write,
      show: (next) => {
        setMode(next);
        return next;
      },
      resize: (next) => setHeight(Math.min(maxHeight, Math.max(minHeight, Math.ceil(next)))),
    },
    onTrouble: reach.note,
  });
  const isGone = failure !== null || state === "left";
  return (
    <section ref={section} className="mcp-app" data-mode={mode} data-state={state} aria-label={title}>
      <header className="mcp-app-head">
        <span className="mcp-app-name">{title}</span>
        {state === "starting" && !failure && <Ring state="run" size={12} />}
        <Button small tone="quiet" onClick={() => setMode(mode === "inline" ? "fullscreen" : "inline")}>
          {t(mode === "inline" ? "fullscreen" : "inline")}
        </Button>
        <IconButton icon="cross" iconSize={12} label={t("close")} tipSide="right-edge" onClick={onClose} />
      </header>
      <iframe
        key={`${attempt} ${reach.page}`}
        ref={frame}
        className="mcp-app-frame"
        data-border={app?.prefersBorder}
        hidden={isGone}
        title={title}
        // From an origin of its own, and even that is taken away: no app shares anything with another one.
        sandbox="allow-scripts allow-forms"
        style={{ height }}
      />
      {asks.first && (
        <AppAsk
          server={server}
          ask={asks.first.ask}
          onSay={(said) => {
            const { ask, say } = asks.first ?? {};
            // Within the click, so that no browser takes it for a pop-up.
            if (ask?.kind === "link" && said !== "no") window.open(ask.url, "_blank", "noopener,noreferrer");
            say?.(said);
          }}
        />
      )}
      <AppNotes
        state={state}
        failure={failure}
        reach={reach}
        onAgain={() => {
          reach.forget();
          setAttempt(attempt + 1);
        }}
      />
    </section>
  );
}

const isLink = (url: string) =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && url.length < 4_000;

/** The app as the server has it now; `attempt` fetches it anew. */
function useApp(server: string, uri: string, attempt: number) {
  const errorText = useErrorText();
  const [found, setFound] = useState<{ app?: McpApp; failure: string | null }>({ failure: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt fetches it anew
  useEffect(() => {
    const leave = new AbortController();
    setFound({ failure: null });
    openApp(server, uri, leave.signal)
      .then((app) => setFound({ app, failure: null }))
      .catch((error) => !leave.signal.aborted && setFound({ failure: errorText(error) }));
    return () => leave.abort();
  }, [server, uri, attempt, errorText]);
  return found;
}

/** Calls as the rules say; what they ask about is put to the person, and a no is a result. */
function callerOf(server: string, { call }: ToolView, put: ReturnType<typeof useAsks>["put"]) {
  return async (tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult> => {
    const first = await callForApp({ server, tool, args }, signal);
    if ("result" in first) return first.result;
    const { reason, definition } = first.ask;
    const said = await put({ kind: "call", tool, args, reason }, signal);
    if (said === "no") return declined(call.id);
    const approved = { approved: definition, ...(said === "always" && { always: true }) };
    const second = await callForApp({ server, tool, args, ...approved }, signal);
    return "result" in second ? second.result : declined(call.id);
  };
}

const declined = (id: ToolResult["id"]): ToolResult => ({
  id,
  status: "denied",
  content: [{ type: "text", text: "The user declined this call." }],
});

/** Text for the message field, not more often than a person can look at. */
function useWrite(): (text: string) => boolean {
  const put = useContext(AppText);
  const count = useRef(0);
  return (text) => {
    if (!put || text.trim() === "" || count.current >= mostTexts) return false;
    count.current++;
    return put(text);
  };
}
