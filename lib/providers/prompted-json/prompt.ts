import type { ToolSpec, Turn } from "@/lib/agent/ports";

/** What a model without function calling is told about the tools, after the system prompt. */
export function promptFor({ system, tools, toolChoice }: Turn): string {
  const must = typeof toolChoice === "object" ? `the tool ${JSON.stringify(toolChoice.name)}` : "a tool";
  const isFree = toolChoice === undefined || toolChoice === "auto" || toolChoice === "none";
  const order = isFree ? "" : `\nThis time call ${must}.`;
  return [
    ...(system ? [system] : []),
    `${form}${order}`,
    `# Tools\n\n${tools.map(describe).join("\n")}`,
  ].join("\n\n");
}

/** The same as a JSON Schema, for servers that hold the model to one. Arguments are checked before a call runs in any case. */
export function answerSchema({ tools, responseSchema }: Turn): Record<string, unknown> {
  const call = {
    type: "object",
    properties: {
      name: { type: "string", enum: tools.map(({ name }) => name) },
      input: { type: "object" },
    },
    required: ["name", "input"],
  };
  return {
    anyOf: [
      only("response", responseSchema ?? { type: "string" }),
      only("tool_call", { anyOf: [call, { type: "array", items: call, minItems: 1, maxItems: maxCalls }] }),
    ],
  };
}

/** What a model is told whose answer could not be read. */
export const askAgain = (problem: string): string =>
  `Your answer could not be read. ${problem} Answer again with exactly one JSON object, ${response} or ${call}, and nothing else.`;

const maxCalls = 10;

const response = '{"response": "…"}';
const call = '{"tool_call": {"name": "…", "input": {…}}}';

const form = `# How to answer

Answer with exactly one JSON object and nothing before or after it. It has one of two forms.

To answer the user, with the text as a JSON string (Markdown, \\n for a new line):
${response}

To use a tool, with arguments that fit its schema; several tools at once are a list:
${call}
{"tool_call": [{"name": "…", "input": {…}}, {"name": "…", "input": {…}}]}

You then get the result, and answer in the same way. Use a tool only when you need it.`;

const describe = ({ name, description, inputSchema }: ToolSpec): string =>
  JSON.stringify({ name, description, input: inputSchema });

const only = (name: string, schema: unknown) => ({
  type: "object",
  properties: { [name]: schema },
  required: [name],
  additionalProperties: false,
});
