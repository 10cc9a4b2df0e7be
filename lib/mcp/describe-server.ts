import { removedTools } from "@/lib/mcp/definitions/definitions";
import { tokensOfTool } from "@/lib/protocol/count-tokens";
import type { McpServerConfig, McpServerItem, McpToolItem } from "@/lib/protocol/mcp";
import { approvalForm } from "./config/approval-form";
import { secretNamesIn } from "./config/hide-secrets";
import { transportOf } from "./config/launch";
import { maskConfig } from "./config/mask-config";
import { hasIcon } from "./connection/icon";
import { definitionHash, type ServerTool } from "./connection/server-tool";
import type { Pins } from "./definitions/pins";
import type { ManagedServer } from "./servers/managed-server";
import { qualifyName } from "./servers/qualify-name";
import { dataFolderOf, workFolder } from "./servers/work-folder";

/**
 * A server as the API shows it, without secrets; while it sleeps or reconnects, what it last listed, and while a sign-in has run out
 * the tools that were accepted.
 */
export function describeServer(
  server: ManagedServer,
  { root, ...places }: { root: string; dataDir: string; person?: string | undefined },
  pins: Pins,
  stored: readonly string[],
): Omit<McpServerItem, "owner" | "hidesOwn"> {
  const { config, state, listing } = server;
  const { connection, error } = state;
  return {
    name: server.name,
    config: maskConfig(config),
    transport: transportOf(config),
    scope: server.scope,
    enabled: !config.disabled,
    status: state.status,
    installing: state.run?.installing ?? false,
    approvalHash: server.hash,
    approvalForm: {
      ...approvalForm(config, root),
      ...(transportOf(config) === "stdio" &&
        config.cwd === undefined && {
          cwd: workFolder(server.name, config, { root, dataDir: dataFolderOf(config, places) }),
        }),
    },
    protocolVersion: listing?.protocolVersion ?? null,
    era: listing?.era ?? null,
    title: listing?.about.title ?? null,
    hasIcon: hasIcon(listing?.about.icons),
    instructions: listing?.instructions ?? null,
    tools: server.offeredTools.map((tool) => describeTool(server, tool, pins)),
    toolFaults: listing?.faults ?? [],
    removedTools: removedTools(server, pins),
    prompts: listing?.library.prompts.length ?? 0,
    resources: listing?.library.resources.length ?? 0,
    lastError: error && { code: error.code, message: error.message },
    lastCrash: server.lastCrash,
    login: server.login?.state ?? null,
    secrets: describeSecrets(config, stored),
    latencyMs: connection?.latencyMs ?? null,
    pid: connection?.transport.pid ?? null,
    since: state.since,
  };
}

function describeSecrets(config: McpServerConfig, stored: readonly string[]): McpServerItem["secrets"] {
  const used = secretNamesIn(config);
  return [...new Set([...used, ...stored])]
    .toSorted()
    .map((name) => ({ name, stored: stored.includes(name), used: used.includes(name) }));
}

export function describeTool({ name, config }: ManagedServer, tool: ServerTool, pins: Pins): McpToolItem {
  const { description, inputSchema } = tool;
  const qualifiedName = qualifyName(name, tool.name);
  return {
    name: tool.name,
    qualifiedName,
    title: tool.title,
    description,
    inputSchema,
    annotations: tool.annotations,
    enabled: !config.disabledTools?.includes(tool.name),
    definition: pins.state(name, tool),
    hash: definitionHash(tool),
    ...(tool.ui && { ui: tool.ui }),
    blocked: pins.isBlocked(name, tool),
    tokens: tokensOfTool({ name: qualifiedName, description, inputSchema }),
  };
}
