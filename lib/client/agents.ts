import type { AgentItem } from "@/lib/protocol/http";
import { api } from "./http";
import { type Live, LiveStore, useLive } from "./live-store";

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
