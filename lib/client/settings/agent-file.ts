import { refreshAgents } from "@/lib/client/conversation/agents";
import { api, readFailure, send } from "@/lib/client/http/http";
import type { AgentFileChanged, AgentFileItem } from "@/lib/protocol/agents";

const pathOf = (id: string) => `/api/agents/${encodeURIComponent(id)}/file`;

export interface EditedAgent {
  text: string;
  /** null: it is not there yet. */
  version: string | null;
}

export const loadAgent = (id: string): Promise<AgentFileItem> => api<AgentFileItem>(pathOf(id));

/** What the text would be; changes nothing. Throws `ApiError` "agent_broken" with all that is wrong. */
export const previewAgent = (id: string, edited: EditedAgent): Promise<AgentFileChanged> =>
  api<AgentFileChanged>(`${pathOf(id)}?preview=true`, { method: "PUT", body: edited });

/** Throws the same, and "file_changed" when the file has changed since it was read. */
export async function saveAgent(id: string, edited: EditedAgent): Promise<AgentFileChanged> {
  try {
    return await api<AgentFileChanged>(pathOf(id), { method: "PUT", body: edited });
  } finally {
    await refreshAgents();
  }
}

export async function deleteAgent(id: string): Promise<void> {
  try {
    await api<unknown>(pathOf(id), { method: "DELETE" });
  } finally {
    await refreshAgents();
  }
}

/** Begins a run of the agent in a new conversation, whose id it returns. The run goes on without a reader. */
export async function tryAgent(
  agent: string,
  text: string,
  state: Readonly<Record<string, string>>,
): Promise<string> {
  const response = await send("/api/chat", {
    method: "POST",
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ message: { text }, agent, state }),
  });
  if (!response.ok) throw await readFailure(response);
  await response.body?.cancel();
  const run = encodeURIComponent(response.headers.get("x-run-id") ?? "");
  return (await api<{ conversationId: string }>(`/api/runs/${run}`)).conversationId;
}
