import { notRun } from "@/lib/protocol/history";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import { findArgumentProblems } from "./argument-problems";
import { pageOf } from "./page-of";
import type { ToolBox, ToolSpec } from "./ports";

export const readFileTool = "meguri__read_project_file";

/** Of one answer. */
const pageCharacters = 8_000;
const maxNamed = 20;

export const readFileSpec: ToolSpec = {
  name: readFileTool,
  description:
    "Reads a file of this conversation's project by its name, as the list of files says it. Long files come in pages.",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "The name of the file." },
      offset: { type: "integer", minimum: 0, description: "Where to begin, in characters; 0 unless told." },
      length: {
        type: "integer",
        minimum: 1,
        maximum: pageCharacters,
        description: `How many characters; ${pageCharacters} unless told.`,
      },
    },
    required: ["name"],
    additionalProperties: false,
  },
};

/** A text that a model may read; no two have the same name. */
export interface ReadableFile {
  name: string;
  /** Undefined where it is no longer there. */
  read(): Promise<string | undefined>;
}

/** Answers calls of the built-in tool from files that the person has given to a project: it reads nothing else, so nobody is asked. */
export function withFileReader(tools: ToolBox, files: readonly ReadableFile[]): ToolBox {
  if (files.length === 0) return tools;
  return {
    list: () => [...tools.list(), readFileSpec],
    async call(call, context) {
      if (call.name !== readFileTool) return tools.call(call, context);
      await context.emit({ type: "tool_start", id: call.id, args: call.args });
      return read(call, files);
    },
  };
}

async function read({ id, args }: ToolCall, files: readonly ReadableFile[]): Promise<ToolResult> {
  const [problem] = findArgumentProblems(readFileSpec.inputSchema, args);
  if (problem) return notRun(id, `Not run: ${problem}`);
  const {
    name,
    offset,
    length = pageCharacters,
  } = args as { name: string; offset?: number; length?: number };
  const file = files.find((each) => each.name === name);
  const whole = await file?.read();
  if (whole !== undefined)
    return { id, status: "ok", content: [{ type: "text", text: pageOf(whole, length, offset) }] };
  const why = file
    ? `${name} is no longer there: it or its project was deleted meanwhile. Go on without it.`
    : `There is no file ${JSON.stringify(name.slice(0, 200))} that can be read. Files: ${namesOf(files)}.`;
  return { id, status: "error", content: [{ type: "text", text: why }] };
}

function namesOf(files: readonly ReadableFile[]): string {
  const names = files.slice(0, maxNamed).map(({ name }) => JSON.stringify(name));
  return [...names, ...(files.length > maxNamed ? ["…"] : [])].join(", ");
}
