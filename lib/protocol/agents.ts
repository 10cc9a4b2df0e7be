import type { Effort } from "./effort";

/** Shapes of the JSON about workflow agents. */

/** A text in both languages of the page. */
export interface BothLanguages {
  en: string;
  ja: string;
}

/** What an agent begins with, by key; null where whoever asks has to say it. */
export type DeclaredState = Readonly<Record<string, string | null>>;

/** What was said of it; an empty text says nothing. */
export const saidIn = (
  declared: DeclaredState,
  values: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter(([key, value]) => Object.hasOwn(declared, key) && value !== ""),
  );

export const isMissing = (declared: DeclaredState, values: Readonly<Record<string, string>>): boolean =>
  Object.entries(declared).some(([key, value]) => value === null && !values[key]);

export interface AgentItem {
  id: string;
  name: BothLanguages;
  description: BothLanguages;
  state: DeclaredState;
}

/** `GET /api/agents`. */
export interface AgentList {
  items: AgentItem[];
  /** What is wrong with files that cannot be used. */
  errors: string[];
  /** The same files; null for one whose name is no id, which is not edited here. */
  broken: { id: string | null; file: string; error: string }[];
}

/** A part of an agent, with the line where it stands. */
export interface AgentPart {
  type: "llm" | "sequential" | "loop" | "parallel" | "use" | "custom";
  /** Of `use`: the id of the agent that is used. */
  name: string;
  line: number;
  description?: BothLanguages;
  model?: string;
  effort?: Effort;
  /** What its instruction takes from the state. */
  reads?: string[];
  outputKey?: string;
  tools?: "none" | string[];
  exitLoop?: true;
  maxIterations?: number;
  parts?: AgentPart[];
}

/** What a file says, to be drawn. */
export interface AgentTree {
  state: DeclaredState;
  result: string | null;
  agent: AgentPart;
}

export interface AgentFileProblem {
  line: number;
  column: number;
  message: string;
}

/** `GET /api/agents/:id/file`. */
export interface AgentFileItem {
  file: string;
  text: string;
  /** Of the file on disk; another one means that it has changed. */
  version: string;
  /** null while it cannot be used. */
  tree: AgentTree | null;
  problems: readonly AgentFileProblem[];
}

/** Of the name of an agent. */
export const agentNamePattern = /^[A-Za-z][\w-]{0,39}$/;

/** What Meguri's own tools are called at `/mcp`, so that no agent is there under such a name. */
export const ownToolNames: readonly string[] = [
  ...["ask", "search_conversations", "read_conversation", "list_assistants", "search_tools"],
];

/** Of the text of an agent, in UTF-16 code units. */
export const maxAgentCharacters = 200_000;

/** `PUT` of the same: what it is now, or would be with `?preview=true`. */
export type AgentFileChanged = Pick<AgentFileItem, "file" | "tree"> & { version: string | null };
