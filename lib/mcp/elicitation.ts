import {
  type ElicitRequest,
  type ElicitResult,
  type InputRequiredResult,
  type ListRootsResult,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { countParts } from "@/lib/protocol/count-parts";
import type { Question, Said } from "./inputs";

const maxMessage = 4_000;
const maxSchemaParts = 5_000;
/** Of one answer of a server. */
const maxQuestions = 10;

/** A question as the log keeps it; undefined for one that cannot be put to a person. */
export function readQuestion(params: ElicitRequest["params"], requestId: string): Question | undefined {
  const message = params.message.slice(0, maxMessage);
  if (params.mode === "url") {
    const isPage = URL.canParse(params.url) && /^https?:$/.test(new URL(params.url).protocol);
    return isPage ? { requestId, mode: "url", message, url: params.url } : undefined;
  }
  const schema: unknown = params.requestedSchema;
  if (countParts(schema, 20, maxSchemaParts) === undefined) return undefined;
  return { requestId, mode: "form", message, schema };
}

/** What a person said, as the server wants it. */
export function toResult({ action, content }: Said): ElicitResult {
  return action === "accept" && content
    ? { action, content: content as ElicitResult["content"] }
    : { action };
}

/** A call that has ended in questions: with their answers and the state it is sent again, by another process as well. */
export interface Parked {
  /** `state` of the log. */
  state: string;
  questions: Question[];
}

const parkedSchema = z.object({
  requestState: z.string().optional(),
  /** Key of the server by request id; absent where the call is only to be sent again. */
  keys: z.record(z.string(), z.string().nullable()),
  /** What we answer ourselves, by key of the server. */
  known: z.record(z.string(), z.unknown()).optional(),
});

/**
 * The 2026 wire: an `input_required` result. Without questions it may be sent again at once. Throws when it asks for
 * what this host does not do.
 */
export function parkResult(
  { inputRequests = {}, requestState }: InputRequiredResult,
  callId: string,
  roots: () => ListRootsResult,
): Parked {
  const entries = Object.entries(inputRequests).slice(0, maxQuestions);
  const keys: Record<string, string | null> = {};
  const known: Record<string, unknown> = {};
  const questions = entries.flatMap(([key, request]) => {
    if (request.method === "roots/list") {
      known[key] = roots();
      return [];
    }
    const requestId = questionId(callId);
    keys[requestId] = key;
    const question = request.method === "elicitation/create" && readQuestion(request.params, requestId);
    if (!question)
      throw new Error(`The server asks for something that this host does not do (${request.method}).`);
    return question;
  });
  return { state: JSON.stringify({ requestState, keys, known }), questions };
}

/** Error -32042: pages that a person has to visit before the call is sent again. */
export function parkUrls({ elicitations }: UrlElicitationRequiredError, callId: string): Parked {
  const keys: Record<string, string | null> = {};
  const questions = elicitations.slice(0, maxQuestions).flatMap((params) => {
    const requestId = questionId(callId);
    const question = readQuestion({ ...params, mode: "url" }, requestId);
    if (question) keys[requestId] = null;
    return question ?? [];
  });
  if (questions.length === 0) throw new Error("The server wants a page to be visited, and names none.");
  return { state: JSON.stringify({ keys }), questions };
}

export interface Resume {
  requestState?: string;
  inputResponses?: Record<string, unknown>;
}

/** What goes along when a parked call is sent again; undefined while answers are missing, "declined" for pages that nobody visited. */
export function resume(
  state: string,
  said: (requestId: string) => Said | undefined,
): Resume | "declined" | undefined {
  const { requestState, keys, known } = parkedSchema.parse(JSON.parse(state));
  const inputResponses: Record<string, unknown> = { ...known };
  for (const [requestId, key] of Object.entries(keys)) {
    const answer = said(requestId);
    if (!answer) return undefined;
    if (key !== null) inputResponses[key] = toResult(answer);
    else if (answer.action !== "accept") return "declined";
  }
  return {
    ...(requestState !== undefined && { requestState }),
    ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
  };
}

let count = 0;
/** Unique in the log of a call, over restarts as well. */
export const questionId = (callId: string) =>
  `${callId}/${Date.now().toString(36)}-${(count++).toString(36)}`;

export const isUrlsRequired = (cause: unknown): cause is UrlElicitationRequiredError =>
  cause instanceof UrlElicitationRequiredError;
