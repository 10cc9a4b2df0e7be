import { SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { CommandError } from "./find-command";
import { ForbiddenAddressError } from "./guarded-fetch";
import type { Launch } from "./launch";
import { askPerson, LoginNeededError } from "./oauth/types";
import { ExitError } from "./stdio-transport";
import { McpConfigError } from "./types";

export interface Fault {
  code: string;
  message: string;
  /** Trying again by itself makes no sense. */
  final?: boolean;
}

/** Why a server cannot be used, in plain words with the next step; `lastWords` is what it last wrote to stderr. */
export function explainFault(cause: unknown, launch: Launch | undefined, lastWords?: string): Fault {
  const chain = causes(cause);
  const own = chain.find(
    (error) =>
      error instanceof CommandError ||
      error instanceof McpConfigError ||
      error instanceof ForbiddenAddressError,
  );
  if (own instanceof CommandError) return { code: "command_not_found", message: own.message, final: true };
  if (own instanceof McpConfigError) return { code: "bad_config", message: own.message, final: true };
  if (own) return { code: "forbidden_address", message: own.message, final: true };
  if (cause instanceof ExitError) {
    const words = lastWords ? `Its last words: ${lastWords.slice(0, 300)}` : "It said nothing on stderr.";
    return { code: "exited", message: `${cause.message} ${words}` };
  }
  const login = chain.find((error) => error instanceof LoginNeededError);
  if (login)
    return {
      code: login.message === askPerson ? "login_required" : "login_failed",
      message: login.message,
      final: true,
    };
  const status = httpStatus(cause);
  if (status !== undefined && launch?.kind === "http") return explainStatus(status, launch);
  if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout) return timedOut(launch);
  if (isTimeout(cause)) return timedOut(launch);
  const code = chain.map((error) => (error as NodeJS.ErrnoException).code).find(isSystemCode);
  if (launch?.kind === "http" && code) return explainNetwork(code, launch);
  const message = chain.at(-1)?.message ?? String(cause);
  if (code === "ENOENT" || code === "EACCES") return { code: "command_not_found", message, final: true };
  return { code: "protocol", message: `The server did not answer as an MCP server does: ${message}` };
}

/** The status of an HTTP answer that was an error. */
export function httpStatus(cause: unknown): number | undefined {
  for (const error of causes(cause)) {
    if (error instanceof UnauthorizedError) return 401;
    if (error instanceof SdkHttpError) return error.status;
    const code = (error as { code?: unknown }).code;
    if (typeof code === "number" && code >= 400 && code < 600) return code;
  }
  return undefined;
}

function explainStatus(status: number, { url, headers }: Extract<Launch, { kind: "http" }>): Fault {
  if (status === 401 || status === 403) {
    const sent = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
    const message = sent
      ? `The server refused the header Authorization (HTTP ${status}). Check the token in "headers".`
      : `The server asks for a sign-in (HTTP ${status}). If signing in does not help, add the header Authorization with a token.`;
    return { code: sent ? "login_failed" : "login_required", message, final: true };
  }
  if (status === 404 || status === 405)
    return {
      code: "http_error",
      message: `There is no MCP server at ${url.pathname} of ${url.host} (HTTP ${status}). Check the path of "url".`,
    };
  if (status >= 300 && status < 400)
    return {
      code: "http_error",
      message: `${url.host} redirects elsewhere (HTTP ${status}). Write the final address as "url".`,
    };
  return {
    code: "http_error",
    message: `${url.host} answered with HTTP ${status}. Look at the server's own log, then restart it here.`,
  };
}

function explainNetwork(code: string, { url }: Extract<Launch, { kind: "http" }>): Fault {
  switch (code) {
    case "ECONNREFUSED":
      return {
        code: "connection_refused",
        message: `Nothing answers at ${url.host} (connection refused). Start the server, or correct "url".`,
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return {
        code: "unreachable",
        message: `The name ${url.hostname} was not found. Check "url" and the network.`,
      };
    default:
      return {
        code: "unreachable",
        message: `${url.host} cannot be reached (${code}). Check "url" and the network.`,
      };
  }
}

const timedOut = (launch: Launch | undefined): Fault => ({
  code: "timeout",
  message:
    launch?.kind === "http"
      ? `${launch.url.host} did not answer in time. Check that it is an MCP server, then restart it here.`
      : "The server was started but did not answer in time. Look at its log, then restart it.",
});

const isTimeout = (cause: unknown) => cause instanceof Error && cause.name === "TimeoutError";
const isSystemCode = (code: unknown): code is string =>
  typeof code === "string" &&
  /^(E[A-Z_]+|UND_ERR_[A-Z_]+|CERT_[A-Z_]+|[A-Z_]*SELF_SIGNED[A-Z_]*)$/.test(code);

/** The error, what caused it, and so on; of an aggregate the first. */
function causes(cause: unknown): Error[] {
  const chain: Error[] = [];
  for (let error = cause; error instanceof Error && chain.length < 8; ) {
    chain.push(error);
    error = error instanceof AggregateError ? error.errors[0] : error.cause;
  }
  return chain;
}
