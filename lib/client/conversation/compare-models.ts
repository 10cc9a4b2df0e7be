import { v7 as newId } from "uuid";
import { api, asApiError, isPassing } from "@/lib/client/http/http";
import type { ChatRequest } from "@/lib/client/http/stream";
import type { StoredFile } from "@/lib/protocol/message";
import { type SendOptions, toRequest } from "./chat-request";
import type { ConversationStore } from "./conversation-store";
import { sendingTurn, toFailure } from "./turn-list";

interface Begun {
  conversationId: string;
  runs: readonly { runId: string; model: string; messageId: string }[];
}

export interface SendingMoments {
  /** When the server has what was chosen last, or has refused it. */
  choiceSettled: Promise<unknown>;
  /** Stop was pressed before the runs were known. */
  isStopped(): boolean;
}

const maxTries = 3;
const retryAfterMs = 500;

/** What could not be sent: sent again unchanged it keeps its id, so that no model is asked twice. */
const unsent = new WeakMap<ConversationStore, { content: string; clientMessageId: string }>();

/**
 * Asks several models the same beside each other. Resolves to whether the server has the question; if not, the text is the
 * caller's to keep and `failure` says why. The conversation's own model stays, and its effort is left out: not every model
 * knows the same ones.
 */
export async function compareModels(
  conversation: ConversationStore,
  models: readonly string[],
  written: { text: string; files: readonly StoredFile[] },
  { model: _, effort: __, ...options }: SendOptions,
  { choiceSettled, isStopped }: SendingMoments,
): Promise<boolean> {
  const { id, turns, branchLeafId, isTemporary, isStepping, isPlanning, isRecording } =
    conversation.getState();
  const attachments = written.files.map(({ attachmentId }) => ({ id: attachmentId }));
  const message = { text: written.text, ...(attachments.length > 0 && { attachments }) };
  const content = JSON.stringify([message, models]);
  const known = unsent.get(conversation);
  const clientMessageId = known?.content === content ? known.clientMessageId : newId();
  const turn = sendingTurn(clientMessageId, written, {});
  const body = toRequest(
    { ...(branchLeafId !== null && { parentId: branchLeafId }), message, clientMessageId },
    id,
    {
      ...options,
      ...{ temporary: isTemporary, step: isStepping === true, plan: isPlanning, recordWire: isRecording },
    },
  );
  const release = conversation.hold();
  conversation.set({
    turns: [...turns, { ...turn, answer: null }],
    comparison: models.map((model) => ({ messageId: "", model })),
    sending: true,
    failure: null,
  });
  try {
    await choiceSettled;
    const { conversationId, runs } = await post({ ...body, compare: models });
    unsent.delete(conversation);
    release();
    const comparison = runs.map(({ messageId, model }) => ({ messageId, model }));
    conversation.set({ comparing: null, comparison });
    const stopped = isStopped() ? Promise.allSettled(runs.map(({ runId }) => stopRun(runId))) : null;
    await conversation.onStored({ conversationId, messageId: comparison[0]?.messageId ?? "" }, turn.key);
    await stopped;
    conversation.set({ sending: false });
    return true;
  } catch (cause) {
    unsent.set(conversation, { content, clientMessageId });
    release();
    conversation.set({ turns, comparison: null, sending: false, failure: toFailure(cause) });
    return false;
  }
}

const stopRun = (runId: string) => api(`/api/runs/${encodeURIComponent(runId)}/stop`, { method: "POST" });

async function post(body: ChatRequest & { compare: readonly string[] }): Promise<Begun> {
  for (let tries = 1; ; tries++)
    try {
      return await api<Begun>("/api/chat", { method: "POST", body });
    } catch (cause) {
      if (tries === maxTries || !isPassing(asApiError(cause))) throw cause;
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs * tries));
    }
}
