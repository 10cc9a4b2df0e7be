import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { Launch } from "@/lib/mcp/config/launch";
import type { Fault } from "./fault";

/**
 * The server was reached, and its answer is not MCP as this client knows it. `last` is the root cause; `otherwise` is
 * used without one.
 */
export function explainAnswer(last: Error | undefined, otherwise: string, launch: Launch | undefined): Fault {
  const say = launch?.kind === "http" ? ofHost(launch.url.host) : ofProcess;
  const message = last?.message ?? otherwise;
  const version = /protocol version is not supported: (.+)/.exec(message)?.[1];
  if (version)
    return { code: "protocol_version", message: say.speaksRevision(version.slice(0, 40)), final: true };
  if (last instanceof ProtocolError && last.code === ProtocolErrorCode.MethodNotFound)
    return { code: "protocol", message: say.knowsNoWay };
  if (last instanceof SdkError && last.code === SdkErrorCode.ClientHttpUnexpectedContent)
    return { code: "protocol", message: say.isPage(message.slice(0, 100)) };
  // The message of a parser helps only the author of the server.
  const isRubbish = last instanceof SyntaxError || last?.name === "ZodError";
  return { code: "protocol", message: isRubbish ? say.isOther : say.says(message.slice(0, 300)) };
}

// Whole sentences for both cases: another language cannot build its sentences from parts.

const ofHost = (host: string) => ({
  speaksRevision: (version: string) =>
    `${host} speaks revision ${version} of the protocol, which Meguri does not know. Update the older one of the two.`,
  knowsNoWay: `${host} answers, but not in a way that Meguri knows: it is not an MCP server, or its protocol version is too new or too old. Check the path of "url".`,
  isPage: (what: string) =>
    `${host} answers with a page or a file, not as an MCP server does (${what}). Check the path of "url"; it often ends in /mcp.`,
  isOther: `${host} did not answer as an MCP server does. Check the path of "url".`,
  says: (what: string) => `${host} did not answer as an MCP server does (${what}). Check the path of "url".`,
});

const ofProcess: ReturnType<typeof ofHost> = {
  speaksRevision: (version) =>
    `The server speaks revision ${version} of the protocol, which Meguri does not know. Update the older one of the two.`,
  knowsNoWay:
    'The server answers, but not in a way that Meguri knows: it is not an MCP server, or its protocol version is too new or too old. Check "command" and "args".',
  // Only HTTP servers answer with pages.
  isPage: (what) => ofProcess.says(what),
  isOther: 'The server did not answer as an MCP server does. Check "command" and "args".',
  says: (what) => `The server did not answer as an MCP server does (${what}). Check "command" and "args".`,
};
