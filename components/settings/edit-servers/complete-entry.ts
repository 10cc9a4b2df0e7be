import { findNodeAtLocation, getLocation, type JSONPath, parseTree } from "jsonc-parser";
import { fieldNames, ruleOf } from "./entry-schema";

export interface Completions {
  from: number;
  to: number;
  options: { label: string; apply: string; field?: string }[];
}

/** What can stand at this place of an entry, or of one in a whole file: a field that is not there yet, or one of a field's few values. */
export function completeEntry(text: string, at: number, inFile = false): Completions | null {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, at);
  const depth = inFile ? 3 : 1;
  if (path.length !== depth || (inFile && path[0] !== "mcpServers")) return null;
  const inNode = previousNode && previousNode.offset <= at && at <= previousNode.offset + previousNode.length;
  const from = inNode ? previousNode.offset : at - (/[\w"]*$/.exec(text.slice(0, at))?.[0].length ?? 0);
  const to = inNode ? previousNode.offset + previousNode.length : at;
  if (isAtPropertyKey) {
    const hasValue = /^\s*:/.test(text.slice(to));
    const there = fieldsAt(text, path.slice(0, -1), from);
    const options = fieldNames
      .filter((name) => !there.has(name))
      .map((name) => ({
        label: name,
        apply: hasValue ? `"${name}"` : `"${name}": ${ruleOf(name)?.sample}`,
        field: name,
      }));
    return { from, to, options };
  }
  const rule = ruleOf(String(path.at(-1)));
  const values = rule?.choices?.map((choice) => JSON.stringify(rule.type === "list" ? [choice] : choice));
  if (rule?.type === "boolean")
    return { from, to, options: ["true", "false"].map((label) => ({ label, apply: label })) };
  return values ? { from, to, options: values.map((label) => ({ label, apply: label })) } : null;
}

/** The fields that an entry has already, but for the one that is being written. */
function fieldsAt(text: string, path: JSONPath, writing: number): ReadonlySet<unknown> {
  const tree = parseTree(text);
  const entry = tree && findNodeAtLocation(tree, path);
  const keys = (entry?.children ?? []).flatMap(({ children }) => children?.[0] ?? []);
  return new Set(keys.filter(({ offset }) => offset !== writing).map(({ value }) => value));
}
