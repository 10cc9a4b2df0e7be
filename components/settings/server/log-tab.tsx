"use client";

import { ServerLog } from "@/components/settings/servers/server-log";
import type { McpServerItem } from "@/lib/protocol/mcp";

export default function LogTab({ server }: { server: McpServerItem }) {
  return <ServerLog name={server.name} tall />;
}
