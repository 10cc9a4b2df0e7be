import type { Effort } from "./effort";

/** What was chosen for a conversation, by a person or a request; what is absent was not, and what lies beneath it holds. */
export interface ConversationChoice {
  /** `provider/name`. */
  model?: string;
  /** Of the person, for this conversation alone; in the system prompt after those for every conversation. */
  instructions?: string;
  /** How much the model thinks, where it takes one. */
  effort?: Effort;
  /** Null: all that are ready. */
  servers?: readonly string[] | null;
  /** By server, whether models find its tools by a search only; a server that is not named here does as its entry says. */
  deferred?: Readonly<Record<string, boolean>>;
  /** Id of the assistant, which may have been deleted since; null: none, not that of the project either. */
  assistant?: string | null;
  /** Tools that only read run without a question; a person has said so in an answer (`approve_reads`). */
  allowReads?: true;
}

/** What is named changes; null takes a field back, but of `servers` it means all that are ready. */
export type ChoicePatch = {
  [Field in keyof ConversationChoice]?: ConversationChoice[Field] | null;
};

/** A set of servers that a person has given a name. */
export interface ServerPreset {
  id: string;
  name: string;
  /** Those that are not configured any more stay named. */
  servers: string[];
  /** What new conversations begin with; true of one at most. */
  default: boolean;
}

/** The choice after a change. Of `servers` null is a value, all that are ready, and of `assistant`: none. */
export function mergeChoice(before: ConversationChoice | null, patch: ChoicePatch): ConversationChoice {
  const { servers, assistant, ...others } = patch;
  const next: Record<string, unknown> = {
    ...before,
    ...(servers !== undefined && { servers }),
    ...(assistant !== undefined && { assistant }),
  };
  for (const [field, value] of Object.entries(others))
    if (value === null) delete next[field];
    else if (value !== undefined) next[field] = value;
  return next;
}

/**
 * The one order in which a value is found: request, conversation, assistant, project. The first that names a field wins;
 * what none names is left to the settings of the model, and then to its provider. Instructions add up instead, so
 * those of a conversation stand beside all others.
 */
export function firstNamed(
  ...sources: readonly (ConversationChoice | null | undefined)[]
): ConversationChoice {
  const found: Record<string, unknown> = {};
  for (const source of sources)
    for (const [field, value] of Object.entries(source ?? {}))
      if (value !== undefined && !Object.hasOwn(found, field)) found[field] = value;
  return found;
}
