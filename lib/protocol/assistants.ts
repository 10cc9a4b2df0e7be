import type { Effort } from "./effort";

/** What a person says once for many conversations: instructions, and what answers with them. */
export interface AssistantFields {
  name: string;
  /** One character: a letter, or an emoji. */
  icon: string;
  description: string;
  /** What the model is told, after Meguri's own lines. */
  instructions: string;
  model?: string;
  effort?: Effort;
  /** Absent: what the conversation uses anyway. Those that are not configured any more stay named. */
  servers?: string[];
  /** By server, whether models find its tools by a search only. */
  deferred?: Record<string, boolean>;
  /** Id of the workflow agent that answers. */
  agent?: string;
  /** Questions to begin with. */
  examples?: string[];
}

export interface Assistant extends AssistantFields {
  id: string;
}

/** Of an assistant, as its file in another installation may be. */
export const assistantLimits = {
  name: 60,
  description: 300,
  /** In bytes of UTF-8. */
  instructions: 100_000,
  examples: 8,
  example: 500,
} as const;

/** The first character of a name as people count them, for an assistant that was given no icon. */
export const iconOf = (name: string): string =>
  [...new Intl.Segmenter().segment(name.trim())][0]?.segment.toUpperCase() ?? "";

/** Whether it is one character as people count them. */
export const isIcon = (text: string): boolean =>
  text.trim() !== "" && [...new Intl.Segmenter().segment(text)].length === 1;
