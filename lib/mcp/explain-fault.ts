import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { explainForeign, explainNetwork, explainStatus } from "./explain-http";
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
  const code = chain.map(codeOf).find(isSystemCode);
  if (launch?.kind === "http" && code) return explainNetwork(code, launch);
  if (launch?.kind === "http" && chain.some(({ name }) => name === "HTTPParserError"))
    return explainForeign(launch);
  if (code === "ENOENT" || code === "EACCES")
    return { code: "command_not_found", message: chain.at(-1)?.message ?? code, final: true };
  return explainAnswer(cause, chain, launch);
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

/** It was reached, and what it says is no MCP that we speak. */
function explainAnswer(cause: unknown, chain: readonly Error[], launch: Launch | undefined): Fault {
  const who = launch?.kind === "http" ? launch.url.host : "The server";
  const check = launch?.kind === "http" ? 'the path of "url"' : '"command" and "args"';
  const last = chain.at(-1);
  const message = last?.message ?? String(cause);
  const version = /protocol version is not supported: (.+)/.exec(message)?.[1];
  if (version)
    return {
      code: "protocol_version",
      message: `${who} speaks revision ${version.slice(0, 40)} of the protocol, which Meguri does not know. Update the older one of the two.`,
      final: true,
    };
  if (last instanceof ProtocolError && last.code === ProtocolErrorCode.MethodNotFound)
    return {
      code: "protocol",
      message: `${who} answers, but knows no way to begin that Meguri knows: it is no MCP server, or of a revision of the protocol that is too new or too old. Check ${check}.`,
    };
  if (last instanceof SdkError && last.code === SdkErrorCode.ClientHttpUnexpectedContent)
    return {
      code: "protocol",
      message: `${who} answers with a page or a file, not as an MCP server does (${message.slice(0, 100)}). Check ${check}; it often ends in /mcp.`,
    };
  // What a parser makes of it helps nobody who is not its author.
  const isRubbish = last instanceof SyntaxError || last?.name === "ZodError";
  const what = isRubbish ? "" : ` (${message.slice(0, 300)})`;
  return { code: "protocol", message: `${who} did not answer as an MCP server does${what}. Check ${check}.` };
}

const timedOut = (launch: Launch | undefined): Fault => ({
  code: "timeout",
  message:
    launch?.kind === "http"
      ? `${launch.url.host} did not answer in time. Check that it is an MCP server, then restart it here.`
      : 'The server was started but did not answer in time. Check that "command" is an MCP server on standard input and output, look at its log, then restart it.',
});

const isTimeout = (cause: unknown) => cause instanceof Error && cause.name === "TimeoutError";
/** The SDK has codes of its own, which look like those of the system and stand before them in the chain. */
const codeOf = (error: Error) =>
  error instanceof SdkError ? undefined : (error as NodeJS.ErrnoException).code;
const isSystemCode = (code: unknown): code is string =>
  typeof code === "string" && /^[A-Z][A-Z_]+$/.test(code) && code !== "ABORT_ERR";

/** The error, what caused it, and so on; of an aggregate the first. */
function causes(cause: unknown): Error[] {
  const chain: Error[] = [];
  for (let error = cause; error instanceof Error && chain.length < 8; ) {
    chain.push(error);
    error = error instanceof AggregateError ? error.errors[0] : error.cause;
  }
  return chain;
}
