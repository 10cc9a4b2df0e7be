import {
  type InputRequiredResult,
  type ListRootsResult,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Question, QuestionAnswer } from "./pending-questions";
import { questionId, readElicitation, readQuestion, type ServerRequest, toResult } from "./questions";
import { type SamplingRequest, samplingSchema } from "./sampling";

/** In one answer of a server; open at once, where each is a request of its own. */
export const maxQuestions = 10;

/** A call that ended in questions. With their answers and the state it is sent again, by another process too. */
export interface InputRequired {
  /** Stored as `tool_state`. */
  state: string;
  questions: Question[];
}

/** Thrown where a server asks for something that this host does not do; the message says so. */
export class UnansweredError extends Error {}

/** What this host answers itself, and what it lets a server ask for. */
export interface HostCapabilities {
  roots(): ListRootsResult;
  /** Throws `UnansweredError` for a request that must not be passed on. */
  admit(request: ServerRequest): void;
}

const stateSchema = z.object({
  requestState: z.string().optional(),
  /** The call has become a task of the server, and the answers are for the task. */
  taskId: z.string().optional(),
  /** The server's key by request id; null where the call is only to be sent again. */
  keys: z.record(z.string(), z.string().nullable()).default({}),
  /** What this host answers itself, by the server's key. */
  known: z.record(z.string(), z.unknown()).optional(),
  /** What the model has to write, by request id. */
  sampling: z.record(z.string(), samplingSchema).optional(),
  /** Keys of the task that have been answered before. */
  answered: z.array(z.string()).optional(),
});

/** What goes along when a call that required input is sent again. */
export interface Resume {
  requestState?: string;
  inputResponses?: Record<string, unknown>;
  taskId?: string;
  answered?: string[];
}

/** A call that has become a task of its server. */
export const taskState = (taskId: string) => JSON.stringify({ taskId });

/** The 2026 wire: an `input_required` result, of a call or of its task. Without questions it may be sent again at once. */
export function readInputRequired(
  { inputRequests = {}, requestState }: Pick<InputRequiredResult, "inputRequests" | "requestState">,
  callId: string,
  host: HostCapabilities,
  task: Pick<Resume, "taskId" | "answered"> = {},
): InputRequired {
  const entries = Object.entries(inputRequests).filter(([key]) => !task.answered?.includes(key));
  const keys: Record<string, string | null> = {};
  const known: Record<string, unknown> = {};
  const sampling: Record<string, SamplingRequest> = {};
  const questions = entries.slice(0, maxQuestions).flatMap(([key, request]) => {
    if (request.method === "roots/list") {
      known[key] = host.roots();
      return [];
    }
    host.admit(request);
    const question = readQuestion(request, callId);
    if (!question)
      throw new UnansweredError(
        `The server asks for something that this host does not do (${request.method}).`,
      );
    keys[question.requestId] = key;
    if (question.mode === "sampling") sampling[question.requestId] = question.request;
    return question;
  });
  return { state: JSON.stringify({ requestState, keys, known, sampling, ...task }), questions };
}

/** Error -32042: pages that a person has to visit before the call is sent again. */
export function readUrlsRequired(
  { elicitations }: UrlElicitationRequiredError,
  callId: string,
): InputRequired {
  const keys: Record<string, string | null> = {};
  const questions = elicitations.slice(0, maxQuestions).flatMap((params) => {
    const requestId = questionId(callId);
    const question = readElicitation({ ...params, mode: "url" }, requestId);
    if (question) keys[requestId] = null;
    return question ?? [];
  });
  if (questions.length === 0) throw new UnansweredError("The server asks to open a page but names none.");
  return { state: JSON.stringify({ keys }), questions };
}

/** Questions of a stored state that only the model can answer, after a person's yes. */
export const samplingsOf = (state: string): Record<string, SamplingRequest> =>
  readState(state).sampling ?? {};

/**
 * Puts the answers to the state. Undefined while answers are missing, "declined" for pages that nobody visited and for
 * what the model was not allowed to write.
 */
export function resumeWith(
  state: string,
  answerTo: (requestId: string) => QuestionAnswer | undefined,
): Resume | "declined" | undefined {
  const { requestState, keys, known, taskId, sampling = {}, answered = [] } = readState(state);
  const inputResponses: Record<string, unknown> = { ...known };
  for (const [requestId, key] of Object.entries(keys)) {
    const answer = answerTo(requestId);
    if (!answer) return undefined;
    const isInBand = key !== null && !sampling[requestId];
    if (isInBand) inputResponses[key] = toResult(answer);
    else if (answer.action !== "accept") return "declined";
    else if (key !== null) inputResponses[key] = answer.content;
  }
  const given = Object.keys(inputResponses);
  return {
    ...(requestState !== undefined && { requestState }),
    ...(given.length > 0 && { inputResponses }),
    ...(taskId !== undefined && { taskId, answered: [...answered, ...given] }),
  };
}

const readState = (state: string) => stateSchema.parse(JSON.parse(state));

export const isUrlsRequired = (cause: unknown): cause is UrlElicitationRequiredError =>
  cause instanceof UrlElicitationRequiredError;
