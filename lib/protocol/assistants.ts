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

/** The most that an assistant may have; texts in UTF-16 code units. */
export const assistantLimits = {
  name: 60,
  icon: 32,
  description: 300,
  examples: 8,
  example: 500,
} as const;

/** An older runtime copies the whole text for each character of it that is looked at. */
const charactersIn = (text: string): Intl.SegmentData[] => [
  ...new Intl.Segmenter().segment(text.slice(0, assistantLimits.icon)),
];

/** The first character of a name as people count them, for an assistant that was given no icon. */
export const iconOf = (name: string): string => charactersIn(name.trim())[0]?.segment.toUpperCase() ?? "";

/** Whether it is one character as people count them. */
export const isIcon = (text: string): boolean =>
  text.trim() !== "" && text.length <= assistantLimits.icon && charactersIn(text).length === 1;
