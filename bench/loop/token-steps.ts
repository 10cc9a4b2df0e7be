import { setImmediate } from "node:timers/promises";
import { raw, type Step } from "@/lib/providers/testing/steps";
import { type PacketSize, tokenText } from "./tasks";

/** How one wire writes a token, and what stands round all of them. */
interface TokenWire {
  before?: string;
  token: string;
  after?: string;
}

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: { type: string }) => `event: ${data.type}\n${event(data)}`;

export const tokenWires = {
  openai: {
    token: event({
      ...{ id: "answer", object: "chat.completion.chunk", created: 1, model: "test" },
      choices: [{ index: 0, delta: { content: tokenText }, finish_reason: null }],
    }),
  },
  gemini: {
    token: event({
      candidates: [{ content: { role: "model", parts: [{ text: tokenText }] }, index: 0 }],
      ...{ modelVersion: "test", responseId: "answer" },
    }),
  },
  claude: {
    before: named({
      type: "content_block_start",
      ...{ index: 0, content_block: { type: "text", text: "" } },
    } as { type: string }),
    token: named({
      type: "content_block_delta",
      ...{ index: 0, delta: { type: "text_delta", text: tokenText } },
    } as { type: string }),
    after: named({ type: "content_block_stop", index: 0 } as { type: string }),
  },
  responses: {
    before: named({
      type: "response.output_item.added",
      ...{ sequence_number: 2, output_index: 0 },
      item: { type: "message", id: "msg_answer", status: "in_progress", role: "assistant", content: [] },
    } as { type: string }),
    token: named({
      type: "response.output_text.delta",
      ...{ sequence_number: 3, item_id: "msg_answer", output_index: 0, content_index: 0 },
      ...{ delta: tokenText, logprobs: [], obfuscation: "aZ3kPq9x" },
    } as { type: string }),
    after: named({
      type: "response.output_item.done",
      ...{ sequence_number: 4, output_index: 0 },
      item: { type: "message", id: "msg_answer", status: "completed", role: "assistant", content: [] },
    } as { type: string }),
  },
} satisfies Record<string, TokenWire>;

const tokensInPacket = 20;

/** The tokens of an answer as one server cuts it: each step is written, and its bytes are on their way before the next. */
export function tokenSteps(wire: TokenWire, count: number, size: PacketSize): Step[] {
  const token = raw(wire.token);
  const gap = gaps[size];
  const packet = raw(wire.token.repeat(tokensInPacket));
  const tokens =
    size === "20 a write"
      ? Array.from({ length: Math.ceil(count / tokensInPacket) }, () => packet)
      : Array.from({ length: count }, () => (gap ? [token, gap] : [token])).flat();
  return [...(wire.before ? [raw(wire.before)] : []), ...tokens, ...(wire.after ? [raw(wire.after)] : [])];
}

/** A new turn of the event loop each time that it is looked at. */
const turnOfLoop: Step = {
  type: "until",
  get done() {
    return setImmediate();
  },
};

const gaps: Record<PacketSize, Step | undefined> = {
  "20 a write": undefined,
  singly: undefined,
  "one a turn": turnOfLoop,
  "1 ms apart": { type: "pause", ms: 1 },
};
