import type { ToolSpec, Turn } from "@/lib/agent/ports";
import { toOpenAiSchema } from "@/lib/providers/tools/tool-schema";
import { type BodyPiece, toPiece } from "./body-piece";
import { type KnobSpelling, writeKnobs } from "./knobs";
import type { OpenAiMessages } from "./messages";

/** The body of a request for one turn: JSON, in the order of its parts. */
export function writeRequest(
  model: string,
  turn: Turn,
  messages: OpenAiMessages,
  tools: OpenAiTools,
  spelling: KnobSpelling,
): BodyPiece[] {
  const { system, history, toolChoice, responseSchema } = turn;
  const pieces: BodyPiece[] = [`{"model":${JSON.stringify(model)},"messages":[`];
  pieces.push(...messages.write(system, history));
  let options = writeKnobs(turn, spelling);
  if (responseSchema) options += `"response_format":${JSON.stringify(toFormat(responseSchema))},`;
  if (turn.tools.length > 0) {
    pieces.push(`],${options}"tools":[`, tools.write(turn.tools));
    options = toolChoice ? `"tool_choice":${JSON.stringify(toChoice(toolChoice))},` : "";
  }
  pieces.push(`],${options}"stream":true,"stream_options":{"include_usage":true}}`);
  return pieces;
}

/** Strict mode refuses most schemas that people write by hand. */
const toFormat = (schema: Record<string, unknown>) => ({
  type: "json_schema",
  json_schema: { schema, strict: false, name: "response" },
});

const toChoice = (choice: NonNullable<Turn["toolChoice"]>) =>
  typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };

/** Writes tools as JSON, kept by identity of the list and of each tool. */
export class OpenAiTools {
  private readonly lists = new WeakMap<readonly ToolSpec[], { piece: BodyPiece; length: number }>();
  private readonly single = new WeakMap<ToolSpec, string>();

  /** The tools as the inside of a JSON array. */
  write(tools: readonly ToolSpec[]): BodyPiece {
    let written = this.lists.get(tools);
    // A list is filled in place by nobody we know, but a stale one would call tools that are gone.
    if (written?.length !== tools.length) {
      written = { piece: toPiece(tools.map((tool) => this.one(tool)).join(",")), length: tools.length };
      this.lists.set(tools, written);
    }
    return written.piece;
  }

  private one(tool: ToolSpec): string {
    let text = this.single.get(tool);
    if (text === undefined) {
      const { name, description, inputSchema } = tool;
      const parameters = toOpenAiSchema(inputSchema);
      text = JSON.stringify({ type: "function", function: { name, description, parameters } });
      this.single.set(tool, text);
    }
    return text;
  }
}
