import {
  AppBridge,
  type McpUiHostContext,
  type McpUiStyles,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import { asApiError } from "@/lib/client/http/http";
import type { McpResourceContent } from "@/lib/protocol/mcp-offers";
import type { ToolResult } from "@/lib/protocol/message";
import { failedCall, toCallResult } from "./app-result";

export type AppMode = "inline" | "fullscreen";

/** All that an app can do in the page. */
export interface AppHost {
  callTool(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
  read(uri: string): Promise<{ contents: McpResourceContent[] }>;
  /** Resolves to whether the person opened it. */
  openLink(url: string): Promise<boolean>;
  /** Whether the text is in the message field now. */
  write(text: string): boolean;
  /** Returns the mode that the app has then. */
  show(mode: AppMode): AppMode;
  resize(height: number): void;
  ready(): void;
  trouble(kind: "blocked" | "failed" | "left", url: string): void;
}

export interface AppLook {
  theme: "light" | "dark";
  locale: string;
  mode: AppMode;
  maxHeight: number;
}

/** Arguments of the call that an app belongs to; partial while the model writes them. */
export interface AppInput {
  args: Record<string, unknown>;
  isPartial: boolean;
}

export interface AppSession {
  setLook(look: AppLook): void;
  /** Partial ones as they grow, then the complete ones, and nothing after that. */
  sendInput(input: AppInput): void;
  sendResult(result: ToolResult): void;
  close(): void;
}

const maxCalls = 8;
const prefix = "ui/notifications/sandbox-";

/** Talks to the app in a frame. Open the session first, then load the page into the frame. */
export function openAppSession(
  frame: Window,
  app: { html: string; title: string; input: AppInput; look: AppLook },
  host: AppHost,
): AppSession {
  const bridge = new AppBridge(
    null,
    { name: "meguri", version: "1" },
    { openLinks: {}, serverTools: {}, serverResources: {}, message: { text: {} } },
    { hostContext: contextOf(app.look) },
  );
  let result: ToolResult | undefined;
  let { input } = app;
  let isReady = false;
  const sendInput = () => {
    const params = { arguments: input.args };
    void (input.isPartial ? bridge.sendToolInputPartial(params) : bridge.sendToolInput(params)).catch(ignore);
  };
  const sendResult = async (next: ToolResult) => bridge.sendToolResult(await toCallResult(next));
  bridge.onsandboxready = () => {
    // `title` is beyond the protocol: the name of the inner frame for screen readers.
    const ready = { html: app.html, title: app.title };
    void bridge.notification({ method: `${prefix}resource-ready`, params: ready } as never).catch(ignore);
  };
  bridge.oninitialized = () => {
    isReady = true;
    host.ready();
    sendInput();
    if (result) void sendResult(result).catch(ignore);
  };
  bridge.onsizechange = ({ height }) => void (height !== undefined && host.resize(height));
  bridge.onrequestdisplaymode = async ({ mode }) => ({
    mode: host.show(mode === "fullscreen" ? "fullscreen" : "inline"),
  });
  bridge.onopenlink = async ({ url }) => ((await host.openLink(url)) ? {} : { isError: true });
  bridge.onmessage = async ({ content }) => {
    const text = content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
    return host.write(text) ? {} : { isError: true };
  };
  bridge.onreadresource = ({ uri }) => host.read(uri);
  bridge.oncalltool = limited(host);
  const listen = ({ source, data }: MessageEvent) => {
    if (source !== frame || typeof data?.method !== "string" || !data.method.startsWith(`${prefix}app-`))
      return;
    const kind = data.method.slice(`${prefix}app-`.length);
    if (kind === "blocked" || kind === "failed" || kind === "left")
      host.trouble(kind, String(data.params?.url ?? ""));
  };
  window.addEventListener("message", listen);
  void bridge.connect(new PostMessageTransport(frame, frame)).catch(ignore);
  return {
    setLook: (look) => bridge.setHostContext(contextOf(look)),
    sendInput: (next) => {
      if (!input.isPartial) return;
      input = next;
      if (isReady) sendInput();
    },
    sendResult: (next) => {
      result = next;
      if (isReady) void sendResult(next).catch(ignore);
    },
    close: () => {
      window.removeEventListener("message", listen);
      void bridge.close().catch(ignore);
    },
  };
}

/** A frame that is gone takes no message. */
const ignore = () => {};

/** The app gets calls that fail on the way as results too; too many at once are refused. */
function limited(host: AppHost): NonNullable<AppBridge["oncalltool"]> {
  let running = 0;
  return async ({ name, arguments: args = {} }, context) => {
    if (running >= maxCalls) return failedCall("Not run: too many calls at once.");
    running++;
    try {
      return await toCallResult(await host.callTool(name, args, context.mcpReq.signal));
    } catch (cause) {
      return failedCall(`Not run: ${asApiError(cause).message}`);
    } finally {
      running--;
    }
  };
}

function contextOf({ theme, locale, mode, maxHeight }: AppLook): McpUiHostContext {
  return {
    theme,
    locale,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    displayMode: mode,
    availableDisplayModes: ["inline", "fullscreen"],
    containerDimensions: { maxHeight },
    platform: "web",
    styles: { variables: variables() },
  };
}

/** Our colours and fonts by the names that apps use. */
const names = {
  "--color-background-primary": "--paper",
  "--color-background-secondary": "--paper-2",
  "--color-background-tertiary": "--paper-3",
  "--color-text-primary": "--ink",
  "--color-text-secondary": "--ink-2",
  "--color-text-tertiary": "--ink-3",
  "--color-text-danger": "--shu",
  "--color-border-primary": "--rule-2",
  "--color-border-secondary": "--rule",
  "--color-ring-primary": "--ink",
  "--font-sans": "--font-text",
  "--font-mono": "--font-mono",
  "--border-radius-sm": "--r1",
  "--border-radius-md": "--r2",
  "--border-radius-lg": "--r3",
} as const satisfies Partial<Record<keyof McpUiStyles, string>>;

function variables(): McpUiStyles {
  const style = getComputedStyle(document.documentElement);
  const entries = Object.entries(names).map(([name, ours]) => [name, style.getPropertyValue(ours).trim()]);
  return Object.fromEntries(entries) as McpUiStyles;
}
