import { jsonrepair } from "jsonrepair";
import { runLimits } from "@/lib/protocol/run-limits";
import { isTooDeep } from "@/lib/providers/tools/parse-arguments";

/** What a model that was asked for JSON wanted to say. */
export interface PromptedAnswer {
  text: string;
  calls: PromptedCall[];
  /** What had to be repaired to read it, in words; empty for JSON as it was asked for. */
  repairs: string[];
}

export interface PromptedCall {
  name: string;
  input: unknown;
}

const repairsInWords = {
  json: "broken JSON",
  names: "other field names",
  around: "text around its JSON",
};

const maxObjects = 32;

/** Reads an answer, fenced, prefixed or slightly broken as it may be; a `problem` says what to tell the model. */
export function readAnswer(
  written: string,
  toolNames: readonly string[],
): PromptedAnswer | { problem: string } {
  const body = written.replace(/^\s*<think>[\s\S]*?<\/think>/, "").trim();
  let answer: PromptedAnswer | undefined;
  let problem = "It holds no JSON object.";
  let rest = body;
  for (const found of objectsIn(body)) {
    const read = readObject(found, toolNames);
    if ("problem" in read) {
      problem = read.problem;
      continue;
    }
    // What follows a call was written without its result.
    if (answer?.calls.length && read.calls.length === 0) continue;
    rest = rest.replace(found.json, () => "");
    answer = answer
      ? {
          text: [answer.text, read.text].filter(Boolean).join("\n\n"),
          calls: [...answer.calls, ...read.calls],
          repairs: [...answer.repairs, ...read.repairs],
        }
      : read;
  }
  if (!answer) return { problem };
  const repairs = rest.trim() ? [...answer.repairs, repairsInWords.around] : answer.repairs;
  return { ...answer, repairs: [...new Set(repairs)] };
}

interface FoundObject {
  json: string;
  /** Braces that are missing at the end; `Infinity` when it ends within a string. */
  missing: number;
}

/** The objects that follow each other in a text; what comes after an object that never closes belongs to it. */
function objectsIn(text: string): FoundObject[] {
  const found: FoundObject[] = [];
  for (let at = text.indexOf("{"); at >= 0 && found.length < maxObjects; ) {
    const { end, missing } = endOf(text, at);
    found.push({
      json: missing > 0 ? text.slice(at, end).replace(/\s*```\s*$/, "") : text.slice(at, end),
      missing,
    });
    at = text.indexOf("{", end);
  }
  return found;
}

function endOf(text: string, start: number): { end: number; missing: number } {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (inString && sign === "\\") at++;
    else if (sign === '"') inString = !inString;
    else if (inString) continue;
    else if (sign === "{" || sign === "[") depth++;
    else if ((sign === "}" || sign === "]") && --depth === 0) return { end: at + 1, missing: 0 };
  }
  return { end: text.length, missing: inString ? Number.POSITIVE_INFINITY : depth };
}

function readObject(
  { json, missing }: FoundObject,
  toolNames: readonly string[],
): PromptedAnswer | { problem: string } {
  if (isTooDeep(json))
    return { problem: `Its JSON is nested deeper than ${runLimits.chat.argumentDepth} levels.` };
  const { value, repaired } = parse(json);
  if (!isRecord(value)) return { problem: "Its JSON cannot be read." };
  const repairs = repaired ? [repairsInWords.json] : [];
  const { tool_call, tool_calls, response, ...others } = value;
  const isBare = typeof others.name === "string" && toolNames.includes(others.name);
  const wanted = [tool_call ?? tool_calls ?? (isBare ? others : [])].flat();
  const calls = wanted.flatMap((call) => readCall(call) ?? []);
  if (calls.length < wanted.length) return { problem: 'Each "tool_call" needs a "name" and an "input".' };
  if (calls.length > 0 && isCutOff(missing, isBare, calls))
    return { problem: "Its JSON breaks off within a tool call." };
  if (calls.length === 0 && (response === undefined || response === null))
    return { problem: 'Its JSON has neither a "tool_call" nor a "response".' };
  if (calls.length > 0 && (!tool_call || calls.some((call) => call.renamed)))
    repairs.push(repairsInWords.names);
  const text = typeof response === "string" ? response : response ? JSON.stringify(response) : "";
  return { text, calls: calls.map(({ name, input }) => ({ name, input })), repairs };
}

/** Braces may be missing round a call, but one that was cut off within or before its arguments must not run. */
function isCutOff(missing: number, isBare: boolean, calls: readonly ReadCall[]): boolean {
  return missing > (isBare ? 1 : 2) || (missing > 0 && calls.some((call) => !call.hasInput));
}

function parse(json: string): { value: unknown; repaired: boolean } {
  try {
    return { value: JSON.parse(json), repaired: false };
  } catch {
    try {
      return { value: JSON.parse(jsonrepair(json)), repaired: true };
    } catch {
      return { value: undefined, repaired: true };
    }
  }
}

interface ReadCall extends PromptedCall {
  hasInput: boolean;
  renamed: boolean;
}

/** Also with the names that other formats have for the arguments, which models fall back to. */
function readCall(call: unknown): ReadCall | undefined {
  if (!isRecord(call) || typeof call.name !== "string" || !call.name) return undefined;
  const { name, input, arguments: args, parameters } = call;
  const given = input ?? args ?? parameters;
  return {
    name,
    input: given ?? {},
    hasInput: given !== undefined,
    renamed: given !== undefined && given !== input,
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
