import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { AgentItem } from "@/lib/protocol/http";

export interface AgentList {
  items: AgentItem[];
  /** What is wrong with files that cannot be used. */
  errors: string[];
}

const store = new LiveStore<AgentList>({
  name: "agents",
  load: () => api<AgentList>("/api/agents"),
  pace: () => null,
});

/** The workflow agents that can be chosen. */
export function useAgents(): Live<AgentList> {
  return useLive(store);
}
