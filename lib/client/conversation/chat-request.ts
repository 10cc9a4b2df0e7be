import type { ChatRequest } from "@/lib/client/http/stream";
import type { ConversationChoice } from "@/lib/protocol/choice";

/** Who answers one message. */
export interface AskedAgent {
  /** The workflow agent that answers; null or absent: the model itself. */
  agent?: string | null;
  /** What it begins with; absent: as in the answer that is made anew, else as it declares. */
  state?: Readonly<Record<string, string>>;
}

/** What is sent along with a message: what was chosen for the conversation. */
export interface SendOptions extends ConversationChoice, AskedAgent {
  /** The project that a new conversation begins in. */
  projectId?: string | null;
  /** Nothing of a new conversation is kept. */
  temporary?: boolean;
  /** The answer waits before each call of a model and of a tool. */
  step?: boolean;
  /** The model may propose a plan. */
  plan?: boolean;
  /** What goes over the wire is recorded. */
  recordWire?: boolean;
}

/** What is asked, with where and how; what was not chosen is left to the server. */
export const toRequest = (
  body: ChatRequest,
  conversationId: string | null,
  {
    instructions,
    assistant,
    agent,
    state,
    effort,
    projectId,
    temporary,
    step,
    plan,
    recordWire,
    allowReads: _,
    ...choice
  }: SendOptions,
): ChatRequest => ({
  ...body,
  ...choice,
  // Those of a conversation that is there are on the server already, and its assistant may have been deleted.
  ...(conversationId === null
    ? {
        ...(instructions !== undefined && { instructions }),
        ...(assistant !== undefined && { assistant }),
        ...(projectId && !temporary && { projectId }),
        ...(temporary && { temporary: true as const }),
      }
    : { conversationId }),
  ...((effort || step || plan || recordWire) && {
    options: {
      ...(effort && { effort }),
      ...(step && { step: true as const }),
      ...(plan && { plan: true as const }),
      ...(recordWire && { recordWire: true as const }),
    },
  }),
  ...(agent && { agent, ...(state && { state }) }),
});
