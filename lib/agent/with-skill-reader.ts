import { notRun } from "@/lib/protocol/history";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import { findArgumentProblems } from "./argument-problems";
import { pageOf } from "./page-of";
import type { CallContext, ToolBox, ToolSpec } from "./ports";

export const readSkillTool = "meguri__read_skill";

/** Of one answer: most skills whole. */
const pageCharacters = 16_000;
const maxNamed = 20;

export const readSkillSpec: ToolSpec = {
  name: readSkillTool,
  description:
    "Reads a skill by its name, as the list of skills says it, or another file of that skill which its text names. Long ones come in pages.",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "The name of the skill." },
      file: {
        type: "string",
        maxLength: 1_000,
        description: "A file of the skill, such as references/FORMS.md; its SKILL.md unless told.",
      },
      offset: { type: "integer", minimum: 0, description: "Where to begin, in characters; 0 unless told." },
    },
    required: ["name"],
    additionalProperties: false,
  },
};

export interface SkillText {
  text: string;
  version: string | undefined;
}

/** A skill that a model may read; no two have the same name. */
export interface ReadableSkill {
  name: string;
  /** What its listing was made from; undefined where nobody can say. */
  version: string | undefined;
  /** As it is now, or why it cannot be read; never throws. */
  read(file: string | undefined, signal: AbortSignal): Promise<SkillText | { fault: string }>;
}

/**
 * Answers calls of the built-in tool from the skills of this machine and of servers that are in use: it reads nothing else, so
 * nobody is asked. What has changed since it was listed, or read before, is read as it is now, and that is told.
 */
export function withSkillReader(tools: ToolBox, skills: readonly ReadableSkill[]): ToolBox {
  if (skills.length === 0) return tools;
  const versions = new Map(skills.map(({ name, version }) => [name, version]));
  return {
    list: () => [...tools.list(), readSkillSpec],
    async call(call, context) {
      if (call.name !== readSkillTool) return tools.call(call, context);
      await context.emit({ type: "tool_start", id: call.id, args: call.args });
      return read(call, context, { skills, versions });
    },
  };
}

interface KnownSkills {
  skills: readonly ReadableSkill[];
  /** As they were when the model last heard of them. */
  versions: Map<string, string | undefined>;
}

async function read(
  { id, args }: ToolCall,
  { emit, signal }: CallContext,
  { skills, versions }: KnownSkills,
): Promise<ToolResult> {
  const [problem] = findArgumentProblems(readSkillSpec.inputSchema, args);
  if (problem) return notRun(id, `Not run: ${problem}`);
  const { name, file, offset } = args as { name: string; file?: string; offset?: number };
  const skill = skills.find((each) => each.name === name);
  if (!skill)
    return failed(id, `There is no skill ${JSON.stringify(name.slice(0, 200))}. Skills: ${namesOf(skills)}.`);
  const found = await skill.read(file, signal);
  if ("fault" in found) return failed(id, cannotRead(name, file, found.fault));
  const before = versions.get(name);
  const hasChanged = before !== undefined && found.version !== undefined && before !== found.version;
  versions.set(name, found.version);
  const page = pageOf(found.text, pageCharacters, offset);
  if (!hasChanged) return succeeded(id, page);
  const message = `The skill ${name} has changed since this answer began; the model reads it as it is now.`;
  await emit({ type: "notice", kind: "skill", message });
  const note =
    "[This skill has changed since you heard of it. This is what it says now; offsets of earlier pages do not hold.]";
  return succeeded(id, `${note}\n\n${page}`);
}

function cannotRead(name: string, file: string | undefined, fault: string): string {
  const part = file === undefined ? "" : `${JSON.stringify(file.slice(0, 200))} of `;
  return `${part}the skill ${JSON.stringify(name)} cannot be read: ${fault} Tell the person, and go on without it.`;
}

const succeeded = (id: ToolCall["id"], text: string): ToolResult => ({
  id,
  status: "ok",
  content: [{ type: "text", text }],
});

const failed = (id: ToolCall["id"], text: string): ToolResult => ({
  id,
  status: "error",
  content: [{ type: "text", text }],
});

function namesOf(skills: readonly ReadableSkill[]): string {
  const names = skills.slice(0, maxNamed).map(({ name }) => JSON.stringify(name));
  return [...names, ...(skills.length > maxNamed ? ["…"] : [])].join(", ");
}
