import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ToolSpec } from "@/lib/agent/ports";

type Schema = Record<string, unknown>;

/** Writes tools as the SDK wants them; kept by identity of the list and of each tool. */
export class ToolWriter {
  private readonly lists = new WeakMap<readonly ToolSpec[], LanguageModelV4FunctionTool[]>();
  private readonly single = new WeakMap<ToolSpec, LanguageModelV4FunctionTool>();

  constructor(private readonly toSchema: (schema: Schema) => Schema) {}

  write(tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[] {
    let written = this.lists.get(tools);
    // A list is filled in place by nobody we know, but a stale one would call tools that are gone.
    if (written?.length !== tools.length) {
      written = tools.map((tool) => this.one(tool));
      this.lists.set(tools, written);
    }
    return written;
  }

  private one(tool: ToolSpec): LanguageModelV4FunctionTool {
    let written = this.single.get(tool);
    if (!written) {
      written = {
        type: "function",
        name: tool.name,
        description: tool.description,
        inputSchema: this.toSchema(tool.inputSchema),
      };
      this.single.set(tool, written);
    }
    return written;
  }
}
