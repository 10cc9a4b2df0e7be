"use client";

import { useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button, IconButton } from "@/components/ui/controls/button";
import { Ring } from "@/components/ui/ring";
import { useErrorText } from "@/components/ui/words/use-error-text";
import type { ToolView } from "@/lib/client/run/run-view";
import type { AppMode } from "@/lib/client/servers/app-session";
import { openApp } from "@/lib/client/servers/apps";
import type { McpApp } from "@/lib/protocol/mcp-offers";
import { AppAsk, askActsLook, askLook, askTitleLook } from "./app-ask";
import { AppNotes } from "./app-notes";
import { useAppHost } from "./use-app-host";
import { useAppSession } from "./use-app-session";
import { useAsks } from "./use-asks";
import { useFullscreen } from "./use-fullscreen";
import { useReach } from "./use-reach";

export interface AppFrameProps {
  item: ToolView;
  server: string;
  /** `ui://` address of the app. */
  uri: string;
  onClose(): void;
}

const minHeight = 80;
const maxHeight = 640;

/** An app of a server in its frame, with what it asks and what it was refused in words around it. */
export default function AppFrame({ item, server, uri, onClose }: AppFrameProps) {
  const t = useTranslations("chat.app");
  const title = t("title", { server });
  const { app, failure, attempt, again } = useApp(server, uri);
  const reach = useReach(server, uri, app);
  const asks = useAsks();
  const section = useRef<HTMLElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [mode, setMode] = useState<AppMode>("inline");
  const [height, setHeight] = useState(240);
  const [isBare, setBare] = useState(false);
  const isAsking = reach.wanted.length > 0 && !isBare;
  useFullscreen(section, mode, setMode);
  // The button that was clicked is gone.
  useEffect(() => section.current?.focus({ preventScroll: true }), []);
  const state = useAppSession(frame, {
    ...{ item, title, mode, maxHeight, html: isAsking ? undefined : app?.html, page: reach.page },
    host: {
      ...useAppHost(server, item.id, asks.put),
      show: (next) => {
        setMode(next);
        return next;
      },
      resize: (next) => {
        // The answers to a question must not move under somebody's pointer.
        if (!asks.first) setHeight(Math.min(maxHeight, Math.max(minHeight, Math.ceil(next))));
      },
    },
    onTrouble: reach.note,
  });
  return (
    <section ref={section} className={frameLook} aria-label={title} tabIndex={-1}>
      <Head
        title={title}
        busy={state === "starting" && !failure && !isAsking}
        mode={mode}
        onMode={setMode}
        onClose={onClose}
      />
      <iframe
        key={`${attempt} ${reach.page}`}
        ref={frame}
        className={cn(
          "block w-full bg-transparent [color-scheme:inherit] group-open:min-h-0 group-open:flex-1",
          app?.prefersBorder && "rounded-control border border-rule",
        )}
        hidden={isAsking || failure !== null || state === "left"}
        title={title}
        // From an origin of its own, and even that is taken away: no app shares anything with another one.
        sandbox="allow-scripts allow-forms"
        style={{ height }}
      />
      {asks.first && (
        <AppAsk key={asks.first.number} server={server} ask={asks.first.ask} say={asks.first.say} />
      )}
      {isAsking && <HostsAsk hosts={reach.wanted} onAllow={reach.allow} onRefuse={() => setBare(true)} />}
      <AppNotes
        state={state}
        failure={failure}
        reach={isAsking ? { ...reach, wanted: [] } : reach}
        onAgain={() => {
          reach.forget();
          again();
        }}
      />
    </section>
  );
}

/** Full screen it is a popover. */
const frameLook = cn(
  "group mt-2 mb-3 flex min-w-0 flex-col gap-1 focus:outline-none",
  "open:inset-0 open:m-0 open:h-dvh open:max-h-none open:w-full open:max-w-none open:bg-paper open:text-ink",
  "open:p-[8px_max(16px,env(safe-area-inset-right))_max(16px,env(safe-area-inset-bottom))_max(16px,env(safe-area-inset-left))]",
);

interface HostsAskProps {
  hosts: readonly string[];
  onAllow(): void;
  onRefuse(): void;
}

/** In place of the frame: an app that cannot load what it needs may show nothing but its own failure. */
function HostsAsk({ hosts, onAllow, onRefuse }: HostsAskProps) {
  const t = useTranslations("chat.app");
  const id = useId();
  return (
    <fieldset className={askLook} aria-labelledby={id}>
      <p id={id} className={askTitleLook}>
        {t("mayLoad", { hosts: hosts.join(", ") })}
      </p>
      <p className="my-1 mb-2 text-mach text-ink-2">{t("mayLoadWhy")}</p>
      <div className={askActsLook}>
        <Button tone="ink" onClick={onAllow}>
          {t("allowAndShow")}
        </Button>
        <Button onClick={onRefuse}>{t("showWithout")}</Button>
      </div>
    </fieldset>
  );
}

interface HeadProps extends Pick<AppFrameProps, "onClose"> {
  title: string;
  busy: boolean;
  mode: AppMode;
  onMode(mode: AppMode): void;
}

function Head({ title, busy, mode, onMode, onClose }: HeadProps) {
  const t = useTranslations("chat.app");
  const other = mode === "inline" ? "fullscreen" : "inline";
  return (
    <header className="flex min-h-7 items-center gap-2 text-micro text-ink-3">
      <span className="min-w-0 flex-1 truncate">{title}</span>
      {busy && <Ring state="run" size={12} />}
      <Button small tone="quiet" onClick={() => onMode(other)}>
        {t(other)}
      </Button>
      <IconButton icon="cross" iconSize={12} label={t("close")} tipSide="right-edge" onClick={onClose} />
    </header>
  );
}

/** The app as its server has it now; `again` fetches it anew. */
function useApp(server: string, uri: string) {
  const errorText = useErrorText();
  const [attempt, setAttempt] = useState(0);
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
  return { ...found, attempt, again: () => setAttempt((before) => before + 1) };
}
