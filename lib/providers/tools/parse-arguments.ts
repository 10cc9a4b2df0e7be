import type { ToolCall } from "@/lib/protocol/message";
import { runLimits } from "@/lib/protocol/run-limits";

const { argumentDepth } = runLimits.chat;

/** Of the arguments of all calls of one turn. */
export const maxArguments = runLimits.chat.argumentCharacters;

/** What a model wrote as arguments; a refusal of them is what the tool box answers the call with. */
export type ReadArguments = Pick<ToolCall, "args" | "malformed" | "excess">;

/** Reads the arguments of a call, within the limits of what is stored and sent. */
export function readArguments(written: string): ReadArguments {
  if (written.length > maxArguments) return refuseArguments(written, "size");
  if (isTooDeep(written)) return refuseArguments(written, "depth");
  const args = parseArguments(written);
  return args ? { args } : { args: {}, malformed: written };
}

/** Keeps of them only how they begin. */
export const refuseArguments = (written: string, excess: NonNullable<ToolCall["excess"]>): ReadArguments => ({
  args: {},
  malformed: written.slice(0, keptCharacters),
  excess,
});

const keptCharacters = 500;

/** The JSON object that a model wrote as arguments; nothing written is an empty one. */
export function parseArguments(input: string): Record<string, unknown> | undefined {
  if (!input.trim()) return {};
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether JSON is nested so deep that writing it again would overflow the stack (`JSON.stringify` recurses). */
export function isTooDeep(json: string): boolean {
  if (json.length <= argumentDepth) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    if (sign === quote) inString = !inString;
    else if (inString) at += sign === backslash ? 1 : 0;
    else if (sign === openBrace || sign === openBracket) {
      if (++depth > argumentDepth) return true;
    } else if (sign === closeBrace || sign === closeBracket) depth--;
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
