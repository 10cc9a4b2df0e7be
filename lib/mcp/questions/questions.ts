import {
  type CreateMessageResult,
  type ElicitRequest,
  type ElicitResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/client";
import { countParts } from "@/lib/protocol/count-parts";
import type { InputQuestion, Question, QuestionAnswer } from "./pending-questions";
import { readSampling } from "./sampling";

const maxMessage = 4_000;
const maxSchemaParts = 5_000;

/** What a server asks during a call, on either wire. */
export interface ServerRequest {
  method: string;
  params?: unknown;
}

/** A question as it is stored in the log; undefined for one that cannot be put to a person. */
export function readQuestion({ method, params }: ServerRequest, callId: string): Question | undefined {
  const requestId = questionId(callId);
  if (method === "elicitation/create") return readElicitation(params as ElicitRequest["params"], requestId);
  const request = method === "sampling/createMessage" ? readSampling(params) : undefined;
  return request && { requestId, mode: "sampling", request };
}

export function readElicitation(
  params: ElicitRequest["params"],
  requestId: string,
): InputQuestion | undefined {
  const message = params.message.slice(0, maxMessage);
  if (params.mode === "url") {
    const isPage = URL.canParse(params.url) && /^https?:$/.test(new URL(params.url).protocol);
    return isPage ? { requestId, mode: "url", message, url: params.url } : undefined;
  }
  const schema: unknown = params.requestedSchema;
  if (countParts(schema, 20, maxSchemaParts) === undefined) return undefined;
  return { requestId, mode: "form", message, schema };
}

/** A person's answer as the server reads it. */
export function toResult({ action, content }: QuestionAnswer): ElicitResult {
  return action === "accept" && content
    ? { action, content: content as ElicitResult["content"] }
    : { action };
}

/** The same for `sampling/createMessage`; throws what the server reads as the refusal. */
export function toMessage({ action, content }: QuestionAnswer): CreateMessageResult {
  if (action === "accept" && content) return content as CreateMessageResult;
  // -1 is the protocol's own example for a person's no.
  if (action === "decline") throw new ProtocolError(-1, "The user declined the sampling request.");
  const why = typeof content?.message === "string" ? content.message : "The sampling request was given up.";
  throw new ProtocolError(ProtocolErrorCode.InternalError, why);
}

let count = 0;
/** Unique in the log of a call, also over restarts. */
export const questionId = (callId: string) =>
  `${callId}/${Date.now().toString(36)}-${(count++).toString(36)}`;
