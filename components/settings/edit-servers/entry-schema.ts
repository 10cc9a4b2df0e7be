import { getNodeValue, type Node } from "jsonc-parser";
import { roles } from "@/lib/protocol/accounts";

export type FieldType = "string" | "boolean" | "number" | "list" | "map" | "object";

interface FieldRule {
  type: FieldType;
  /** Of a list: what may stand in it; it is not empty then. */
  choices?: readonly string[];
  /** What a completion writes. */
  sample: string;
}

/** The fields of an entry, for the editor; the server has another schema for the same, and a test compares the two. */
export const entryFields = {
  type: {
    type: "string",
    choices: ["stdio", "http", "streamable-http", "streamableHttp", "sse"],
    sample: '"http"',
  },
  command: { type: "string", sample: '"npx"' },
  args: { type: "list", sample: "[]" },
  env: { type: "map", sample: "{}" },
  cwd: { type: "string", sample: '"."' },
  url: { type: "string", sample: '"https://"' },
  headers: { type: "map", sample: "{}" },
  roots: { type: "list", sample: "[]" },
  sampling: { type: "boolean", sample: "true" },
  privateHosts: { type: "list", sample: "[]" },
  oauth: { type: "object", sample: "{}" },
  disabled: { type: "boolean", sample: "true" },
  roles: { type: "list", choices: roles, sample: '["admin"]' },
  scope: { type: "string", choices: ["shared", "user"], sample: '"user"' },
  deferred: { type: "boolean", sample: "true" },
  mayEscalate: { type: "boolean", sample: "true" },
  perInstance: { type: "boolean", sample: "true" },
  disabledTools: { type: "list", sample: "[]" },
  toolExecution: { type: "string", choices: ["parallel", "sequential"], sample: '"sequential"' },
  timeout: { type: "number", sample: "60000" },
  initTimeout: { type: "number", sample: "60000" },
} as const satisfies Record<string, FieldRule>;

export type FieldName = keyof typeof entryFields;
export const fieldNames = Object.keys(entryFields) as FieldName[];
export const ruleOf = (name: string): FieldRule | undefined =>
  Object.hasOwn(entryFields, name) ? entryFields[name as FieldName] : undefined;

/** Whether a value is of the type that its field takes. */
export function fits(node: Node, type: FieldType): boolean {
  const value: unknown = getNodeValue(node);
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return node.type === type;
    case "list":
      return Array.isArray(value) && value.every((entry) => typeof entry === "string");
    case "map":
      return (
        node.type === "object" && Object.values(value as object).every((entry) => typeof entry === "string")
      );
    case "object":
      return node.type === "object";
  }
}

/** A field that differs by a slip of the hand. */
export function nearest(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/[^a-z]/g, "");
  return fieldNames.find((field) => {
    const known = field.toLowerCase();
    return known === plain || (plain.length > 2 && plain.length < 20 && isOneSlip(plain, known));
  });
}

/** One letter more, less or another. */
function isOneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}
