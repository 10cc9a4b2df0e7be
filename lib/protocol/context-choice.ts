/** What a person has chosen for parts of a conversation's context, by id of a message, a call or an attached file. */
export type ContextChoices = Readonly<Record<string, ContextChoice>>;

/**
 * `dropped`: the model reads a stand-in; of a summary, the messages that it replaced. `pinned`: neither trimming nor a summary takes
 * it. `trimmed`: it reads the beginning, of about so many tokens. `beside`: the summary with this id has replaced it, and it is
 * sent all the same, until a newer summary replaces it too.
 */
export type ContextChoice = "dropped" | "pinned" | { trimmed: number } | { beside: string };

/** Null takes a choice back. */
export type ContextChoicePatch = Readonly<Record<string, ContextChoice | null>>;

/** Parts of one conversation that a person can choose for. */
export const maxContextChoices = 500;
/** Characters of an id that can be named: those of calls come from models' servers. */
export const maxContextId = 200;

export function mergeContext(before: ContextChoices = {}, patch: ContextChoicePatch): ContextChoices {
  const next = new Map(Object.entries(before));
  for (const [id, choice] of Object.entries(patch))
    if (choice === null) next.delete(id);
    else next.set(id, choice);
  return Object.fromEntries(next);
}
