import type { ChoicePatch, ConversationChoice } from "./http";

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
