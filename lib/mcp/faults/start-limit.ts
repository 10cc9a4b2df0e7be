import { basename } from "node:path";
import type { StdioLaunch } from "@/lib/mcp/config/launch";

export interface StartTimes {
  /** For a server to answer and to list its tools. */
  timeoutMs: number;
  /** For one whose package may have to be fetched first, until its first message. */
  installMs: number;
  /** After this time without a message it is said to be installed. */
  installNoticeMs: number;
}

/** Nothing has come from a package within the time that installing it may take. */
export class InstallError extends Error {
  override name = "InstallError";
  constructor(readonly seconds: number) {
    super(`Nothing came within ${seconds} s.`);
  }
}

export interface StartLimit {
  /** Fires when it has taken too long, or when it is not wanted any more. */
  signal: AbortSignal;
  /** The longest that it may take, in ms. */
  longestMs: number;
  /** The server has said something: what had to be installed is. */
  heard(): void;
  end(): void;
}

/**
 * How long a start may take. While a package is being fetched there is nothing to tell that from a server that hangs but
 * its command; so the time to answer counts from its first message on.
 */
export function startLimit(
  { timeoutMs, installMs, installNoticeMs }: StartTimes,
  installs: boolean,
  life: AbortSignal,
  report: (isInstalling: boolean) => void,
): StartLimit {
  const controller = new AbortController();
  const stop = () => controller.abort(life.reason);
  life.addEventListener("abort", stop, { once: true });
  if (life.aborted) stop();
  const answerIn = () =>
    setTimeout(
      () => controller.abort(new DOMException("It did not answer in time.", "TimeoutError")),
      timeoutMs,
    );
  const giveUp = () => controller.abort(new InstallError(Math.round(installMs / 1_000)));
  let limit = installs ? setTimeout(giveUp, installMs) : answerIn();
  let isSilent = installs;
  const notice = installs ? setTimeout(() => report(true), installNoticeMs) : undefined;
  const settle = () => {
    clearTimeout(notice);
    if (isSilent) report(false);
    isSilent = false;
  };
  return {
    signal: controller.signal,
    longestMs: installs ? installMs : timeoutMs,
    heard: () => {
      if (!isSilent) return;
      settle();
      clearTimeout(limit);
      limit = answerIn();
    },
    end: () => {
      settle();
      clearTimeout(limit);
      life.removeEventListener("abort", stop);
    },
  };
}

const runners = new Set(["npx", "pnpx", "bunx", "uvx", "pipx", "dnx"]);
/** Which of their first words fetch what they run. */
const fetching: Readonly<Record<string, readonly string[]>> = {
  npm: ["exec", "x"],
  pnpm: ["dlx"],
  yarn: ["dlx"],
  bun: ["x"],
  uv: ["run", "tool"],
  deno: ["run"],
  docker: ["run"],
  podman: ["run"],
  nix: ["run", "shell"],
};

/** Whether the command may first have to fetch what it runs. */
export function runsPackage({ command, args }: Pick<StdioLaunch, "command" | "args">): boolean {
  const name = basename(command.replaceAll("\\", "/")).replace(/\.(?:cmd|exe|ps1)$/i, "");
  if (runners.has(name)) return true;
  const word = args.find((arg) => !arg.startsWith("-")) ?? "";
  return Object.hasOwn(fetching, name) && fetching[name]?.includes(word) === true;
}
