import type { Chunk } from "./chunk";
import { isPrivate } from "./chunk-kinds";
import type { ChatMessage } from "./message";

/**
 * A chunk as it may leave the server: without the state of waiting calls, without what a person entered for a server,
 * without the provider's signatures, what the model was sent and what a person changed of that. It stays a chunk, so that numbers keep no gap; the same object where nothing
 * has to go.
 */
export function redact(chunk: Chunk): Chunk {
  if (!isPrivate(chunk)) return chunk;
  switch (chunk.type) {
    case "text":
    case "reasoning":
      return withoutSignature(chunk);
    case "request":
      return { ...bare(chunk), type: "request", system: null, tools: null, params: {} };
    case "tool_call":
    case "approval_request":
      return chunk.call.signature === undefined ? chunk : { ...chunk, call: withoutSignature(chunk.call) };
    case "message":
      return { ...chunk, message: redactMessage(chunk.message) };
    case "tool_state":
      return withoutEntered(chunk);
    case "answer":
      return withoutPayload(withoutEntered(chunk));
    case "result": {
      const historyDelta = chunk.result.historyDelta.map(redactMessage);
      return { ...chunk, result: { ...chunk.result, historyDelta } };
    }
  }
  chunk satisfies never;
  return bare(chunk);
}

/** A chunk that names what the model was sent, without the contents themselves; the same object where it has none. */
export function withoutContents(chunk: Chunk): Chunk {
  if (chunk.type !== "request" || !chunk.contents) return chunk;
  const { contents: _, ...rest } = chunk;
  return rest;
}

/**
 * A chunk as its owner keeps it in a file: signatures stay, as the provider wants them back. What takes a waiting call up again
 * and what a person entered for a server are for that server alone.
 */
export function withoutEntered(chunk: Chunk): Chunk {
  if (chunk.type === "tool_state") return { ...chunk, state: "" };
  if (chunk.type !== "answer" || !chunk.answer.input?.content) return chunk;
  const { action } = chunk.answer.input;
  return { ...chunk, answer: { ...chunk.answer, input: { action } } };
}

function withoutPayload(chunk: Chunk): Chunk {
  if (chunk.type !== "answer" || !chunk.answer.payload) return chunk;
  const { payload: _, ...answer } = chunk.answer;
  return { ...chunk, answer };
}

/** A kind that only a newer version knows: what of it is private is not known here. */
const bare = ({ type, at }: Chunk) => ({ type, ...(at !== undefined && { at }) }) as Chunk;

/** A message without the provider's signatures. */
export function redactMessage<Message extends ChatMessage>(message: Message): Message {
  if (!("parts" in message)) return message;
  return { ...message, parts: message.parts.map(withoutSignature) };
}

function withoutSignature<Signed extends { signature?: string } | object>(signed: Signed): Signed {
  if (!("signature" in signed)) return signed;
  const { signature: _, ...rest } = signed;
  return rest as Signed;
}
