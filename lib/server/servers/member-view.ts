import type { McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import type { Person } from "@/lib/server/http/guard";

/** A server as this person may see it. */
export const serverForPerson = (
  { role, id }: Pick<Person, "role" | "id">,
  item: McpServerItem,
): McpServerItem => {
  if (role === "admin") return item;
  return item.owner === id ? item : serverForMember(item);
};

/**
 * A server as members see it: what it offers and whether it can be used. How it is started, with what and why it fails is
 * the operator's: an error may quote a path or an address.
 */
const serverForMember = (item: McpServerItem): McpServerItem => {
  const { type, disabled, disabledTools, timeout, deferred, sampling, mayEscalate } = item.config;
  const config = { type, disabled, disabledTools, timeout, deferred, sampling, mayEscalate };
  return {
    ...item,
    config: Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)),
    approvalHash: "",
    approvalForm: {},
    lastError: item.lastError && {
      ...item.lastError,
      message: nextStepOf(item),
    },
    lastCrash: null,
    login: item.login && { ...item.login, privateHost: null },
    secrets: item.scope === "user" ? item.secrets : [],
    pid: null,
  };
};

export const serversForMember = (
  person: Pick<Person, "role" | "id">,
  { items, nextCursor }: McpServerList,
): McpServerList => ({
  items: items.map((item) => serverForPerson(person, item)),
  nextCursor,
  configPath: "",
  isManaged: false,
  fileError: null,
});

/** What a member can do about a server that cannot be used. */
function nextStepOf({ scope, status, secrets }: McpServerItem): string {
  if (scope === "user" && secrets.some(({ used, stored }) => used && !stored))
    return "This server needs values from you: enter them, and it connects.";
  if (scope === "user" && status === "needs_login")
    return "This server wants you to sign in. If that fails, ask an admin.";
  return "This server cannot be used now; ask an admin.";
}
