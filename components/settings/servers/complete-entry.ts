import { getLocation } from "jsonc-parser";
import { fieldNames, ruleOf } from "./entry-schema";

export interface Completions {
  from: number;
  to: number;
  options: { label: string; apply: string; field?: string }[];
}

/** What can stand at this place of an entry: a field that is not there yet, or one of a field's few values. */
export function completeEntry(text: string, at: number): Completions | null {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, at);
  if (path.length !== 1) return null;
  const inNode = previousNode && previousNode.offset <= at && at <= previousNode.offset + previousNode.length;
  const from = inNode ? previousNode.offset : at - (/[\w"]*$/.exec(text.slice(0, at))?.[0].length ?? 0);
  const to = inNode ? previousNode.offset + previousNode.length : at;
  if (isAtPropertyKey) {
    const hasValue = /^\s*:/.test(text.slice(to));
    const isThere = (name: string) => new RegExp(`"${name}"\\s*:`).test(text.slice(0, from) + text.slice(to));
    const options = fieldNames
      .filter((name) => !isThere(name))
      .map((name) => ({
        label: name,
        apply: hasValue ? `"${name}"` : `"${name}": ${ruleOf(name)?.sample}`,
        field: name,
      }));
    return { from, to, options };
  }
  const rule = ruleOf(String(path[0]));
  const values = rule?.choices?.map((choice) => JSON.stringify(choice));
  if (rule?.type === "boolean")
    return { from, to, options: ["true", "false"].map((label) => ({ label, apply: label })) };
  return values ? { from, to, options: values.map((label) => ({ label, apply: label })) } : null;
}
