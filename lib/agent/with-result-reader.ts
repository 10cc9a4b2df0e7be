import { modelContent, notRun } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolCall, ToolContent, ToolResult } from "@/lib/protocol/message";
import { findArgumentProblems } from "./argument-problems";
import type { ToolBox, ToolSpec } from "./ports";
import { readResultTool } from "./trim-results";

/** Of one answer. */
const pageCharacters = 8_000;

export const readResultSpec: ToolSpec = {
  name: readResultTool,
  description:
    "Reads an earlier tool result, message or file again that was left out or shortened. Long ones come in pages.",
  inputSchema: {
    type: "object",
    properties: {
      id: { type: "string", description: "The id that stands in its place." },
      offset: { type: "integer", minimum: 0, description: "Where to go on, in characters; 0 at first." },
    },
    required: ["id"],
    additionalProperties: false,
  },
};

/** What the model reads only a part of, whole: results by call id, messages and files by their own. */
export class ResultArchive {
  private readonly results = new Map<string, ToolResult>();

  get isEmpty(): boolean {
    return this.results.size === 0;
  }

  keep(history: readonly ChatMessage[], ids: readonly ToolCallId[]): void {
    const wanted = new Set(ids);
    for (const message of history)
      if (message.role === "tool")
        for (const result of message.results)
          if (wanted.has(result.id) && !this.results.has(result.id)) this.results.set(result.id, result);
  }

  add(id: string, content: ToolContent[]): void {
    if (content.length > 0 && !this.results.has(id))
      this.results.set(id, { id: id as ToolCallId, status: "ok", content });
  }

  get(id: string): ToolResult | undefined {
    return this.results.get(id);
  }
}

/** Answers calls of the built-in tool from what the conversation holds: it reads nothing else, so nobody is asked. */
export function withResultReader(tools: ToolBox, archive: ResultArchive): ToolBox {
  return {
    list: () => (archive.isEmpty ? tools.list() : [...tools.list(), readResultSpec]),
    async call(call, context) {
      if (call.name !== readResultTool || archive.isEmpty) return tools.call(call, context);
      await context.emit({ type: "tool_start", id: call.id, args: call.args });
      return read(call, archive);
    },
  };
}

function read({ id, args }: ToolCall, archive: ResultArchive): ToolResult {
  const [problem] = findArgumentProblems(readResultSpec.inputSchema, args);
  if (problem) return notRun(id, `Not run: ${problem}`);
  const { id: wanted, offset = 0 } = args as { id: string; offset?: number };
  const result = archive.get(wanted);
  if (!result) {
    const text = `There is no shortened result with the id "${wanted.slice(0, 100)}".`;
    return { id, status: "error", content: [{ type: "text", text }] };
  }
  const [file] = result.content;
  // It comes as it came with its message.
  if (file?.type === "file" && file.attachmentId !== undefined && result.content.length === 1)
    return { id, status: "ok", content: [file] };
  const whole = modelContent(result)
    .map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`))
    .join("\n");
  const page = whole.slice(offset, offset + pageCharacters);
  const next = offset + page.length;
  const note =
    next < whole.length ? `\n[${whole.length - next} characters follow; go on with offset ${next}.]` : "";
  return { id, status: "ok", content: [{ type: "text", text: page + note }] };
}
