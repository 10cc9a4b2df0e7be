import type { Role } from "@/lib/protocol/accounts";
import type { McpServerConfig } from "@/lib/protocol/mcp";

/**
 * Whether a person has this server of the operator's. One that waits for its approval every admin has, as somebody has to
 * approve it; nothing of it runs. Who is not known has what everybody has.
 */
export const isForRole = (
  role: Role | undefined,
  { roles }: McpServerConfig,
  isApproved: () => boolean,
): boolean =>
  roles === undefined || (role !== undefined && roles.includes(role)) || (role === "admin" && !isApproved());
