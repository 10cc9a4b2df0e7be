import { api } from "@/lib/client/http/http";
import type { PendingRequest } from "@/lib/protocol/chunk";
import type { ModelRequest, RunItem } from "@/lib/protocol/http";

/** What a model would be sent once the call that waits is made; the question itself does not hold it. */
export async function readStepPayload(runId: string, asked: PendingRequest): Promise<ModelRequest> {
  const { iterations } = await api<RunItem>(`/api/runs/${runId}`);
  const { agent } = asked as { agent?: string };
  const index = iterations.findLastIndex((iteration) => iteration.agent === agent) + 1;
  return api<ModelRequest>(`/api/runs/${runId}/requests/${index}`);
}

export interface ReadResult {
  id: string;
  /** Of the call: its server and tool, qualified. */
  name: string;
  text: string;
}

/** The results that the model has not read yet: those of the calls that it has made last. */
export function newResults({ messages }: ModelRequest): ReadResult[] {
  const all = messages ?? [];
  const from = all.findLastIndex(({ role }) => role === "assistant");
  const asking = all[from];
  const calls = asking?.role === "assistant" ? asking.parts : [];
  return all.slice(from + 1).flatMap((message) => {
    if (message.role !== "tool") return [];
    return message.results.map(({ id, content }) => {
      const call = calls.find((part) => part.type === "tool_call" && part.id === id);
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      return { id, name: call?.type === "tool_call" ? call.name : id, text };
    });
  });
}

/** The words of the last message of the person. */
export function lastQuestion({ messages }: ModelRequest): string {
  const asked = messages?.findLast(({ role }) => role === "user");
  if (asked?.role !== "user") return "";
  return asked.parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
}
