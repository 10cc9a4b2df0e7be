/** A text that a person keeps to begin messages with. `{{name}}` in it is a variable, asked for when it is used. */
export interface PromptFields {
  name: string;
  text: string;
}

/** One of `GET /api/prompts`. */
export interface Prompt extends PromptFields {
  id: string;
  /** Those of the text, in the order in which they come first. */
  variables: string[];
}

/** The most that a prompt may have; the name in UTF-16 code units. */
export const promptLimits = {
  name: 60,
  variables: 20,
} as const;

/** Two braces: a single one is common in code and JSON, which prompts hold. */
const placeholder = /\{\{([^{}\n]{1,80})\}\}/g;
const variableName = /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_ -]*[\p{L}\p{M}\p{N}_])?$/u;

const nameIn = (inner: string): string | undefined => {
  const name = inner.trim();
  return variableName.test(name) ? name : undefined;
};

/** The variables of a text, each once. What stands in braces and is no name is text. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(placeholder)].flatMap(([, inner = ""]) => nameIn(inner) ?? [])),
];

/** The text with values in place of its variables, in one pass: a value that looks like a variable stays as it was typed. */
export const fillPrompt = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(placeholder, (whole, inner: string) => values.get(nameIn(inner) ?? "") ?? whole);

/** Whether a name has what is typed in it, in any case and width. */
export const isNamed = (name: string, typed: string): boolean => plain(name).includes(plain(typed));

const plain = (text: string): string => text.normalize("NFKC").toLowerCase();
