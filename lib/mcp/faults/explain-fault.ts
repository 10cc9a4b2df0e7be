import { SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { Launch } from "@/lib/mcp/config/launch";
import { askPerson, LoginNeededError } from "@/lib/mcp/oauth/login-needed-error";
import { CommandError } from "@/lib/mcp/transport/find-command";
import { ForbiddenAddressError } from "@/lib/mcp/transport/guarded-fetch";
import { ExitError } from "@/lib/mcp/transport/stdio-transport";
import { explainAnswer } from "./explain-answer";
import { explainForeign, explainNetwork, explainStatus } from "./explain-http";
import type { Fault } from "./fault";
import { InstallError } from "./start-limit";

/** Why a server cannot be used, in plain words with the next step. */
export function explainFault(cause: unknown, launch: Launch | undefined): Fault {
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
  if (cause instanceof ExitError) return explainExit(cause);
  const login = chain.find((error) => error instanceof LoginNeededError);
  if (login)
    return {
      code: login.message === askPerson ? "login_required" : "login_failed",
      message: login.message,
      final: true,
    };
  const install = chain.find((error) => error instanceof InstallError);
  if (install) return { code: "timeout", message: notInstalled(install.seconds) };
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
  return explainAnswer(chain.at(-1), String(cause), launch);
}

/** The status of an HTTP error response. */
export function httpStatus(cause: unknown): number | undefined {
  for (const error of causes(cause)) {
    if (error instanceof UnauthorizedError) return 401;
    if (error instanceof SdkHttpError) return error.status;
    const code = (error as { code?: unknown }).code;
    if (typeof code === "number" && code >= 400 && code < 600) return code;
  }
  return undefined;
}

/** Four whole sentences, so that each can be translated. */
function explainExit({ exit: { code, signal, said } }: ExitError): Fault {
  if (signal)
    return {
      code: "exited",
      message: said
        ? `The server ended by ${signal}. It said: ${said}`
        : `The server ended by ${signal}. It said nothing on stderr.`,
    };
  return {
    code: "exited",
    message: said
      ? `The server ended with exit code ${code}. It said: ${said}`
      : `The server ended with exit code ${code}. It said nothing on stderr.`,
  };
}

const timedOut = (launch: Launch | undefined): Fault => ({
  code: "timeout",
  message:
    launch?.kind === "http"
      ? `${launch.url.host} did not answer in time. Check that it is an MCP server, then restart it here.`
      : 'The server was started but did not answer in time. Check that "command" is an MCP server on standard input and output, look at its log, then restart it. If it only needs longer, set "initTimeout" (in ms).',
});

const notInstalled = (seconds: number) =>
  `Nothing came from the server within ${seconds} s: its package could not be installed in that time, or it hangs. Look at its log, run the command once in a terminal, then restart it.`;

const isTimeout = (cause: unknown) => cause instanceof Error && cause.name === "TimeoutError";
/** Codes of the SDK look like those of the system, and come before them in the chain. */
const codeOf = (error: Error) =>
  error instanceof SdkError ? undefined : (error as NodeJS.ErrnoException).code;
const isSystemCode = (code: unknown): code is string =>
  typeof code === "string" && /^[A-Z][A-Z_]+$/.test(code) && code !== "ABORT_ERR";

/** The error, its cause, and so on; of an aggregate the first error. */
function causes(cause: unknown): Error[] {
  const chain: Error[] = [];
  for (let error = cause; error instanceof Error && chain.length < 8; ) {
    chain.push(error);
    error = error instanceof AggregateError ? error.errors[0] : error.cause;
  }
  return chain;
}
