/** Separators of a message, a call or a tool. */
export const tokensAround = 8;

/**
 * About how many tokens a text is: four letters of Latin script to a token, one character of any other (Japanese,
 * Chinese, Cyrillic), which is rather too many than too few.
 */
export const tokensOf = (text: string): number => Math.ceil(quarterTokensOf(text) / 4);

/** The same in quarters of a token: those of its pieces add up to those of the text. */
export function quarterTokensOf(text: string): number {
  let quarters = text.length;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x2ff) quarters += 3;
  return quarters;
}

/** More tools than this are searched by the model rather than all described. */
export const mostTools = 40;
/** Of what a model can read, for the descriptions of all tools. */
export const mostPart = 0.05;

/** Whether a model is better off with a search than with the descriptions of all these tools. */
export const isTooMuchAtOnce = (
  all: { tools: number; tokens: number },
  window: number | undefined,
): boolean => all.tools > mostTools || (window !== undefined && all.tokens > window * mostPart);

const counted = new WeakMap<object, Pick<DescribedTool, "name" | "description"> & { tokens: number }>();

/** What a tool takes of what a model can read. Counted once for each schema, under the name that it has. */
export function tokensOfTool({ name, description, inputSchema }: DescribedTool): number {
  const known = counted.get(inputSchema);
  if (known?.name === name && known.description === description) return known.tokens;
  const tokens =
    tokensOf(JSON.stringify(inputSchema)) + tokensOf(name) + tokensOf(description) + tokensAround;
  counted.set(inputSchema, { name, description, tokens });
  return tokens;
}

interface DescribedTool {
  /** As the model reads it. */
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}
