import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { AgentList } from "@/lib/protocol/agents";

const store = new LiveStore<AgentList>({
  name: "agents",
  load: () => api<AgentList>("/api/agents"),
  pace: () => null,
});

export const refreshAgents = (): Promise<void> => store.refresh({ tell: true });

/** The workflow agents that can be chosen. */
export function useAgents(): Live<AgentList> {
  return useLive(store);
}
