import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { ClientCalls } from "@/lib/protocol/gateway";
import type { ListedRun, Page } from "@/lib/protocol/http";

const waiting = new LiveStore<Page<ListedRun>>({
  name: "waiting-calls",
  hint: "conversations",
  load: () => api<Page<ListedRun>>("/api/runs?kind=gateway&status=waiting&limit=50"),
  pace: () => 5_000,
});

/** Calls of other programs that wait for a person, newest first. */
export function useWaitingCalls(): Live<Page<ListedRun>> {
  return useLive(waiting);
}

const calls = new LiveStore<ClientCalls>({
  name: "client-calls",
  hint: "conversations",
  load: () => api<ClientCalls>("/api/tokens/calls"),
  pace: () => 60_000,
});

/** How much programs have called in the last 24 hours. */
export function useClientCalls(): Live<ClientCalls> {
  return useLive(calls);
}

/** Programs of which it is known where they want an MCP server named. */
export const clientKinds = ["claude", "cursor", "vscode", "zed", "other"] as const;
export type ClientKind = (typeof clientKinds)[number];

/** Where the token is, as a program reads it. */
export const tokenVariable = "MEGURI_TOKEN";

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** What is pasted into a program so that it uses Meguri at this address; the token itself stays out of it where it can. */
export function snippetFor(kind: ClientKind, url: string): string {
  switch (kind) {
    case "claude":
      return [
        "claude mcp add --transport http meguri \\",
        `  ${url} \\`,
        `  --header "Authorization: Bearer $${tokenVariable}"`,
      ].join("\n");
    case "cursor":
      return json({ mcpServers: { meguri: { url, headers: bearer(`\${env:${tokenVariable}}`) } } });
    case "vscode":
      return json({
        inputs: [{ id: "meguri", type: "promptString", password: true, description: "Meguri token" }],
        servers: { meguri: { type: "http", url, headers: bearer(`\${input:meguri}`) } },
      });
    case "zed":
      return json({ context_servers: { meguri: { url, headers: bearer("<token>") } } });
    case "other":
      return json({ mcpServers: { meguri: { type: "streamable-http", url, headers: bearer("<token>") } } });
  }
}

/** The file that it goes into; of a command none. */
export const fileOf: Readonly<Record<ClientKind, string | undefined>> = {
  claude: undefined,
  cursor: ".cursor/mcp.json",
  vscode: ".vscode/mcp.json",
  zed: "settings.json",
  other: undefined,
};
