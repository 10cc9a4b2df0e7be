import type { McpServerItem, McpServerList } from "@/lib/protocol/mcp";

/**
 * A server as members see it: what it offers and whether it can be used. How it is started, with what and why it fails is
 * the operator's: an error may quote a path or an address.
 */
export const serverForMember = (item: McpServerItem): McpServerItem => {
  const { type, disabled, disabledTools, timeout, deferred, sampling, mayEscalate } = item.config;
  const config = { type, disabled, disabledTools, timeout, deferred, sampling, mayEscalate };
  return {
    ...item,
    config: Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)),
    approvalHash: "",
    approvalForm: {},
    lastError: item.lastError && {
      ...item.lastError,
      message: "This server cannot be used now; ask an admin.",
    },
    lastCrash: null,
    login: item.login && { ...item.login, issuer: null, scope: null, privateHost: null },
    secrets: [],
    pid: null,
  };
};

export const serversForMember = ({ items, nextCursor }: McpServerList): McpServerList => ({
  items: items.map(serverForMember),
  nextCursor,
  configPath: "",
  fileError: null,
});
