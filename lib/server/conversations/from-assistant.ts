import type { z } from "zod";
import type { ConversationChoice } from "@/lib/protocol/choice";
import type { AgentDefinition } from "@/lib/server/agents/agent-definition";
import { findAgent } from "@/lib/server/agents/agents";
import type { ChatBody } from "@/lib/server/contract/chat";
import type { Env } from "@/lib/server/env";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { chooseModel } from "@/lib/server/settings/choose-model";
import type { RunOptions } from "@/lib/store/types";

interface AssistantDeps extends Pick<RunDeps, "store" | "providers"> {
  env: Pick<Env, "AGENTS_DIR">;
}

type ChatRequest = z.output<typeof ChatBody>;

/** What an assistant adds where neither the request nor the conversation says anything. */
interface FromAssistant {
  choice?: ConversationChoice;
  workflow?: AgentDefinition;
  assistant?: NonNullable<RunOptions["assistant"]>;
}

/**
 * The request's assistant, which must be there, else the conversation's, which may have been deleted since. A model or a
 * workflow agent that is gone is left out and named.
 */
export async function fromAssistant(
  deps: AssistantDeps,
  userId: string,
  request: ChatRequest,
  said: ConversationChoice,
): Promise<FromAssistant> {
  const found = said.assistant ? await deps.store.assistants.get(userId, said.assistant) : undefined;
  if (request.assistant && !found)
    throw new HttpError(404, "not_found", "assistant: there is no such assistant; it may have been deleted.");
  if (!found) return {};
  const model = said.model === undefined ? found.model : undefined;
  const isModelThere = model !== undefined && (await isKnown(chooseModel(deps, userId, model)));
  const agent = takesAgent(request) ? found.agent : undefined;
  const workflow = agent === undefined ? undefined : await isKnown(findAgent(deps, agent));
  const gone = {
    ...(model !== undefined && !isModelThere && { model }),
    ...(agent !== undefined && !workflow && { agent }),
  };
  const { effort, servers, deferred } = found;
  return {
    choice: {
      ...(isModelThere && { model }),
      ...(effort && { effort }),
      ...(servers && { servers }),
      ...(deferred && { deferred }),
    },
    ...(workflow && { workflow }),
    assistant: { id: found.id, ...(Object.keys(gone).length > 0 && { gone }) },
  };
}

/** An agent's parts answer in words, and a call runs again by itself only where the model answers. */
const takesAgent = ({ agent, fromCall, options }: ChatRequest): boolean =>
  agent === undefined && fromCall === undefined && options?.responseSchema === undefined;

/** What it resolves to; undefined where it is refused, as what it names is not there. */
async function isKnown<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (cause) {
    if (cause instanceof HttpError) return undefined;
    throw cause;
  }
}
