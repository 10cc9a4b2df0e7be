import { basename } from "node:path";
import type { StdioLaunch } from "@/lib/mcp/config/launch";

export interface StartTimes {
  /** For a server to answer and to list its tools. */
  timeoutMs: number;
  /** Until the first message of a server whose package may have to be downloaded. */
  installMs: number;
  /** After this time without a message the server is shown as installing. */
  installNoticeMs: number;
}

/** A package has sent nothing within the time that its installation may take. */
export class InstallError extends Error {
  override name = "InstallError";
  constructor(readonly seconds: number) {
    super(`Nothing came within ${seconds} s.`);
  }
}

export interface StartLimit {
  /** Fires when the start takes too long or is stopped. */
  signal: AbortSignal;
  /** The longest time that the start may take, in ms. */
  longestMs: number;
  /** The server has sent a message, so its package is installed. */
  onMessage(): void;
  end(): void;
}

/**
 * How long a start may take. A server whose package is being downloaded cannot be told from one that hangs, except by
 * its command; for those commands the time to answer counts from the first message.
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
    onMessage: () => {
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
/** The first words of these commands that download what they run. */
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

/** Whether the command may have to download what it runs. */
export function runsPackage({ command, args }: Pick<StdioLaunch, "command" | "args">): boolean {
  const name = basename(command.replaceAll("\\", "/")).replace(/\.(?:cmd|exe|ps1)$/i, "");
  if (runners.has(name)) return true;
  const word = args.find((arg) => !arg.startsWith("-")) ?? "";
  return Object.hasOwn(fetching, name) && fetching[name]?.includes(word) === true;
}
