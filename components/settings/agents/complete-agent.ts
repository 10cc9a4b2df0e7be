import { efforts } from "@/lib/protocol/effort";

export interface AgentCompletions {
  from: number;
  options: { label: string; apply: string; field?: AgentField }[];
}

/** What can be named that does not stand in the file itself. */
export interface AgentNames {
  models: readonly string[];
  agents: readonly string[];
}

const types = ["llm", "sequential", "loop", "parallel", "use", "custom"] as const;
const topFields = ["name", "title", "description", "state", "result", "agent"] as const;
const fieldsOf = {
  llm: [
    ...["name", "instruction", "description", "model", "effort"],
    ...["outputKey", "includeContents", "tools", "exitLoop"],
  ],
  sequential: ["name", "description", "agents"],
  loop: ["name", "description", "maxIterations", "agents"],
  parallel: ["name", "description", "agents"],
  use: ["agent", "description"],
  custom: ["name", "description"],
} as Record<(typeof types)[number], AgentField[]>;

/** Every key that an agent's file can have. */
export type AgentField =
  | (typeof topFields)[number]
  | "type"
  | "instruction"
  | "model"
  | "effort"
  | "outputKey"
  | "includeContents"
  | "tools"
  | "exitLoop"
  | "agents"
  | "maxIterations";

/** What can stand at this place of an agent's file: a key that is not there yet, or one of a key's few values. */
export function completeAgent(text: string, at: number, names: AgentNames): AgentCompletions | null {
  const lines = text.slice(0, at).split("\n");
  const line = lines.at(-1) ?? "";
  const value = /^\s*(?:- )?(\w+):\s+(\S*)$/.exec(line);
  if (value) {
    const [, key = "", typed = ""] = value;
    const isUsed = key === "agent" && indentOf(line) > 0;
    const options = valuesOf(isUsed ? "use" : key, names);
    return options && { from: at - typed.length, options: options.map((label) => ({ label, apply: label })) };
  }
  const typed = /^\s*(?:- )?(\w*)$/.exec(line)?.[1];
  if (typed === undefined || isInBlock(lines)) return null;
  const there = siblings(text.split("\n"), lines.length - 1);
  return {
    from: at - typed.length,
    options: fieldsAt(indentOf(line), there)
      .filter((field) => !there.has(field) || field === typed)
      .map((field) => ({ label: field, apply: applyOf(field, indentOf(line)), field })),
  };
}

function valuesOf(key: string, { models, agents }: AgentNames): readonly string[] | null {
  if (key === "type") return types;
  if (key === "model") return models;
  if (key === "effort") return efforts;
  if (key === "use") return agents;
  if (key === "includeContents") return ["none", "default"];
  if (key === "tools") return ["none", "all"];
  return key === "exitLoop" ? ["true"] : null;
}

function fieldsAt(indent: number, there: ReadonlyMap<string, string>): readonly AgentField[] {
  if (indent === 0) return topFields;
  const type = types.find((each) => each === there.get("type"));
  return type ? ["type", ...fieldsOf[type]] : ["type"];
}

function applyOf(field: AgentField, indent: number): string {
  const inside = `\n${" ".repeat(indent + 2)}`;
  if (field === "instruction") return `instruction: |${inside}`;
  if (field === "agents") return `agents:${inside}- type: `;
  if (field === "agent" && indent === 0) return `agent:${inside}type: `;
  if (field === "state") return `state:${inside}`;
  return `${field}: `;
}

/** Where the keys of a line begin, after the dash of a list. */
const indentOf = (line: string) => /^\s*(?:- )?/.exec(line)?.[0].length ?? 0;
const isBlank = (line: string) => /^\s*(#.*)?$/.test(line);

/** Whether the last line is part of a text over several lines, in which no keys stand. */
function isInBlock(lines: readonly string[]): boolean {
  const indent = indentOf(lines.at(-1) ?? "");
  for (let at = lines.length - 2; at >= 0; at--) {
    const line = lines[at] ?? "";
    if (isBlank(line) || indentOf(line) >= indent) continue;
    return /:\s*[|>][-+\d]*\s*$/.test(line);
  }
  return false;
}

/** The keys and plain values of the map in which this line stands. */
function siblings(lines: readonly string[], at: number): Map<string, string> {
  const indent = indentOf(lines[at] ?? "");
  const found = new Map<string, string>();
  const take = (line: string) => {
    const [, key, value = ""] = /^\s*(?:- )?(\w+):\s*(.*)$/.exec(line) ?? [];
    if (key && indentOf(line) === indent) found.set(key, value.trim());
  };
  const isItem = (line: string) => /^\s*- /.test(line) && indentOf(line) === indent;
  for (let up = at - 1; up >= 0 && !isItem(lines[up + 1] ?? ""); up--) {
    const line = lines[up] ?? "";
    if (!isBlank(line) && indentOf(line) < indent) break;
    take(line);
  }
  for (let down = at + 1; down < lines.length && !isItem(lines[down] ?? ""); down++) {
    const line = lines[down] ?? "";
    if (!isBlank(line) && indentOf(line) < indent) break;
    take(line);
  }
  return found;
}
