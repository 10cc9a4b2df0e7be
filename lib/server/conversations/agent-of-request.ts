import type { z } from "zod";
import type { AgentDefinition } from "@/lib/server/agents/agent-definition";
import type { AgentDeps } from "@/lib/server/agents/agent-folder";
import { findAgent } from "@/lib/server/agents/agents";
import type { ChatBody } from "@/lib/server/contract/chat";
import type { Store } from "@/lib/store/ports";
import type { RunRow } from "@/lib/store/types";

type ChatRequest = z.output<typeof ChatBody>;

interface RequestDeps extends AgentDeps {
  store: Pick<Store, "messages" | "runs">;
}

/**
 * The workflow agent that a request names, with the state that it begins with. Where the request says none, an answer that
 * is made anew, or the answer to a question that is asked differently, begins with that of the old one.
 */
export async function agentOfRequest(
  deps: RequestDeps,
  agent: string,
  request: ChatRequest,
): Promise<AgentDefinition> {
  const { state } = request;
  if (state !== undefined) return findAgent(deps, agent, state as Record<string, string>);
  const old = (await runsBefore(deps, request)).findLast((run) => run.agent === agent);
  const definition = old?.options.workflow as AgentDefinition | undefined;
  return findAgent(deps, agent, {}, (definition?.state ?? {}) as Record<string, string>);
}

/** Runs that answer the message which is answered again, or the newest one that the new message stands beside. */
async function runsBefore(
  { store }: RequestDeps,
  { conversationId, regenerate, parentId }: ChatRequest,
): Promise<RunRow[]> {
  if (conversationId === undefined) return [];
  if (regenerate !== undefined) {
    const row = await store.messages.get(conversationId, regenerate);
    if (!row) return [];
    return row.runId === null ? store.runs.ofMessage(conversationId, row.id) : store.runs.many([row.runId]);
  }
  if (parentId === undefined) return [];
  const beside = (await store.messages.children(conversationId, [parentId])).get(parentId ?? "")?.at(-1);
  return beside === undefined ? [] : store.runs.ofMessage(conversationId, beside);
}
