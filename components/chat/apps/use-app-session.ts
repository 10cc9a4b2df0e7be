import { useTheme } from "next-themes";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocale } from "use-intl";
import { readPartial } from "@/lib/client/run/partial-json";
import type { ToolView } from "@/lib/client/run/run-view";
import {
  type AppHost,
  type AppInput,
  type AppLook,
  type AppMode,
  type AppSession,
  openAppSession,
} from "@/lib/client/servers/app-session";

/** How long an app may take before the page says that it is silent. */
const readyWaitMs = 15_000;

export type AppState = "starting" | "running" | "silent" | "left";

export interface SessionOptions {
  item: ToolView;
  title: string;
  html: string | undefined;
  /** Where it runs; another address starts it anew. */
  page: string | undefined;
  mode: AppMode;
  maxHeight: number;
  host: Omit<AppHost, "ready" | "trouble">;
  onTrouble(kind: "blocked" | "failed", url: string): void;
}

/** Runs an app in the frame for as long as it is shown. */
export function useAppSession(frame: RefObject<HTMLIFrameElement | null>, options: SessionOptions): AppState {
  const { item, html, page } = options;
  const [state, setState] = useState<AppState>("starting");
  const session = useRef<AppSession | undefined>(undefined);
  const look = useLook(options);
  const latest = useRef({ options, look });
  useLayoutEffect(() => {
    latest.current = { options, look };
  });
  useEffect(() => {
    const element = frame.current;
    if (!element?.contentWindow || html === undefined || page === undefined) return;
    setState("starting");
    const { title, item: call } = latest.current.options;
    const ended = window.setTimeout(() => setState("silent"), readyWaitMs);
    const settle = (next: AppState) => {
      window.clearTimeout(ended);
      setState(next);
    };
    const opened = openAppSession(
      element.contentWindow,
      { html, title, input: inputOf(call), look: latest.current.look },
      hostOf(latest, settle),
    );
    session.current = opened;
    if (call.result) opened.sendResult(call.result);
    element.src = page;
    return () => {
      window.clearTimeout(ended);
      session.current = undefined;
      opened.close();
    };
  }, [frame, html, page]);
  useEffect(() => {
    // Styles follow the theme a moment later.
    const moment = requestAnimationFrame(() => session.current?.setLook(look));
    return () => cancelAnimationFrame(moment);
  }, [look]);
  useEffect(() => session.current?.sendInput(inputOf(item)), [item]);
  const { result } = item;
  const before = useRef(result);
  useEffect(() => {
    if (result && result !== before.current) session.current?.sendResult(result);
    before.current = result;
  }, [result]);
  return state;
}

const inputOf = ({ args, written }: ToolView): AppInput =>
  written === undefined ? { args, isPartial: false } : { args: readPartial(written), isPartial: true };

/** Whatever the page draws anew meanwhile, the app speaks to what stands there now. */
function hostOf(latest: RefObject<{ options: SessionOptions }>, settle: (state: AppState) => void): AppHost {
  const host = () => latest.current.options.host;
  return {
    callTool: (...call) => host().callTool(...call),
    read: (uri) => host().read(uri),
    openLink: (url) => host().openLink(url),
    write: (text) => host().write(text),
    show: (mode) => host().show(mode),
    resize: (height) => host().resize(height),
    ready: () => settle("running"),
    trouble: (kind, url) => (kind === "left" ? settle("left") : latest.current.options.onTrouble(kind, url)),
  };
}

function useLook({ mode, maxHeight }: SessionOptions): AppLook {
  const { resolvedTheme } = useTheme();
  const locale = useLocale();
  const theme = resolvedTheme === "dark" ? "dark" : "light";
  const [look, setLook] = useState<AppLook>({ theme, locale, mode, maxHeight });
  const isSame =
    look.theme === theme && look.locale === locale && look.mode === mode && look.maxHeight === maxHeight;
  if (!isSame) setLook({ theme, locale, mode, maxHeight });
  return look;
}
