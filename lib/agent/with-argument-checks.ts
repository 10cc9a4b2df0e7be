import { notRun } from "@/lib/protocol/history";
import type { ToolCall } from "@/lib/protocol/message";
import type { OpenCalls } from "@/lib/protocol/open-calls";
import { runLimits } from "@/lib/protocol/run-limits";
import { findArgumentProblems, findRefusedNulls } from "./argument-problems";
import { fillDefaults } from "./fill-defaults";
import { nearestNames } from "./nearest-names";
import type { ToolBox, ToolSpec } from "./ports";

/** All tools are named up to so many, else the nearest. */
const maxNames = 50;
const maxNearest = 10;

/**
 * Answers a call that cannot run: an unknown tool, arguments that are no JSON object, arguments that do not fit the
 * tool's schema. The model reads what is wrong and nothing is sent; only an argument that may be absent and is null is left out,
 * and one that has to be there and has a default is put in.
 *
 * Outside of the approval and of the order of calls: no person is asked about such a call, and it takes no other's turn. A call that `open`
 * knows as sent passes: whatever became of its tool meanwhile, it was not "not run".
 */
export function withArgumentChecks(tools: ToolBox, open?: OpenCalls): ToolBox {
  return {
    list: () => tools.list(),
    async call(call, context) {
      if (open?.get(call.id)?.sent) return tools.call(call, context);
      const specs = tools.list();
      const problem = findProblem(call, specs);
      if (problem === undefined) return tools.call(call, context);
      const repaired = repair(call, specs);
      return repaired !== call && findProblem(repaired, specs) === undefined
        ? tools.call(repaired, context)
        : notRun(call.id, problem);
    },
  };
}

/** Models write null for what they leave out, and leave out what has a default. The same call where there is nothing to repair. */
function repair(call: ToolCall, specs: readonly ToolSpec[]): ToolCall {
  const schema = specs.find(({ name }) => name === call.name)?.inputSchema ?? {};
  const given = withoutNulls(schema, call.args);
  const args = fillDefaults(schema, given) as ToolCall["args"];
  return args === call.args ? call : { ...call, args };
}

function withoutNulls(schema: ToolSpec["inputSchema"], args: ToolCall["args"]): ToolCall["args"] {
  const refused = findRefusedNulls(schema, args);
  if (refused.size === 0) return args;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = schema.properties as Record<string, { default?: unknown }> | undefined;
  const isNeeded = (name: string) => required.includes(name) && properties?.[name]?.default === undefined;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !refused.has(name) || isNeeded(name)));
}

function findProblem(call: ToolCall, specs: readonly ToolSpec[]): string | undefined {
  const spec = specs.find(({ name }) => name === call.name);
  if (!spec) return unknownTool(call.name, specs);
  if (call.excess) return excessInWords[call.excess];
  if (call.malformed !== undefined) return malformedArguments(call.malformed);
  const problems = findArgumentProblems(spec.inputSchema, call.args);
  if (problems.length === 0) return undefined;
  const lines = problems.map((problem) => `- ${problem}`).join("\n");
  return `${misfitInWords(call.name)}\n${lines}`;
}

const misfitInWords = (tool: string) => `Not run: the arguments do not fit the schema of ${tool}.`;

function unknownTool(name: string, specs: readonly ToolSpec[]): string {
  if (specs.length === 0) return `There is no tool ${shorten(name)}: no tools are available now.`;
  const names = specs.map((spec) => spec.name);
  if (names.length <= maxNames)
    return `There is no tool ${shorten(name)}. Available tools: ${names.join(", ")}.`;
  const nearest = nearestNames(name, names, maxNearest).join(", ");
  return `There is no tool ${shorten(name)}. The nearest of ${names.length} tools: ${nearest}.`;
}

function malformedArguments(written: string): string {
  return `${malformedInWords(parseError(written))}\nGot: ${shorten(written)}`;
}

const { argumentCharacters, argumentDepth } = runLimits.chat;
const excessInWords = {
  size: `Not run: the arguments of this turn are larger than ${argumentCharacters} characters. Write less at a time, for example in parts.`,
  depth: `Not run: the arguments are nested deeper than ${argumentDepth} levels. Write them flatter.`,
};

const malformedInWords = (why: string) => `Not run: the arguments must be one JSON object. ${why}`;

function kindInWords(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return "a string";
  return typeof value === "number" ? "a number" : "a boolean";
}

function parseError(written: string): string {
  try {
    const value: unknown = JSON.parse(written);
    return `This is ${kindInWords(value)}.`;
  } catch (cause) {
    return cause instanceof Error ? `${shorten(cause.message)}.` : "";
  }
}

const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
