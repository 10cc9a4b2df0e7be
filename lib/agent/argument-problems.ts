import {
  dereference,
  escapePointer,
  type OutputUnit,
  type Schema,
  type SchemaDraft,
  validate,
} from "@cfworker/json-schema";
import { admitReferences } from "@/lib/protocol/admit-references";
import { type BoundedSchema, boundSchema, limitReads, referenceLimit } from "@/lib/protocol/bounded-schema";
import { namesFile } from "@/lib/protocol/file-references";

const maxProblems = 10;
const maxLength = 300;
/** Of which the innermost are sought, at a cost that grows with the square. */
const maxErrors = 200;

/** What is wrong with the arguments of a call, one line each with its path (`/edits/0/text: …`); none when they fit. */
export function findArgumentProblems(
  inputSchema: Record<string, unknown>,
  args: Record<string, unknown>,
): string[] {
  const errors = findErrors(inputSchema, args)
    .filter(({ keyword }) => !wrappers.has(keyword))
    .slice(0, maxErrors);
  const problems = new Set(errors.filter((error) => isInnermost(error, errors)).map(describeProblem));
  const shown = [...problems].slice(0, maxProblems);
  return problems.size > maxProblems ? [...shown, "and more"] : shown;
}

/** The arguments that are null though their own schema refuses it. */
export function findRefusedNulls(
  inputSchema: Record<string, unknown>,
  args: Record<string, unknown>,
): Set<string> {
  const places = new Set(findErrors(inputSchema, args).map((error) => readable(error.instanceLocation)));
  const isRefused = (name: string) => args[name] === null && places.has(`#/${escapePointer(name)}`);
  return new Set(Object.keys(args).filter(isRefused));
}

interface Check extends BoundedSchema {
  lookup: Record<string, Schema | boolean>;
}

type Checks = WeakMap<object, Check | undefined>;

/** By schema object; undefined for a schema that is broken. Servers hand out the same object for each listing. */
const checks: Checks = new WeakMap();
/** For arguments that name a file, which is not there yet: its length is not that of its reference. */
const checksOfReferences: Checks = new WeakMap();

/** A schema that cannot be used says nothing about the arguments; the server decides then. */
function findErrors(inputSchema: Record<string, unknown>, args: Record<string, unknown>): OutputUnit[] {
  try {
    const check = namesFile(args)
      ? checkOf(checksOfReferences, inputSchema, (schema) => admitReferences(schema) as Schema)
      : checkOf(checks, inputSchema);
    const limit = check && referenceLimit(check, args);
    if (!check || limit === undefined) return [];
    const { schema, lookup } = check;
    return validate(args, schema, draftOf(schema), limitReads(lookup, limit), false).errors;
  } catch {
    return [];
  }
}

function checkOf(
  known: Checks,
  inputSchema: Record<string, unknown>,
  change = (schema: Schema) => schema,
): Check | undefined {
  if (!known.has(inputSchema)) {
    known.set(inputSchema, undefined);
    const bounded = boundSchema(inputSchema);
    const schema = bounded && change(bounded.schema);
    known.set(inputSchema, schema && { ...bounded, schema, lookup: dereference(schema) });
  }
  return known.get(inputSchema);
}

/** MCP means 2020-12 where a schema does not say. */
function draftOf({ $schema }: Schema): SchemaDraft {
  if (typeof $schema !== "string") return "2020-12";
  if ($schema.includes("draft-04")) return "4";
  if ($schema.includes("draft-06") || $schema.includes("draft-07")) return "7";
  return $schema.includes("2019-09") ? "2019-09" : "2020-12";
}

/** A failing part makes everything round it fail; only the innermost says what is wrong. */
function isInnermost(error: OutputUnit, errors: readonly OutputUnit[]): boolean {
  const { instanceLocation: at, keywordLocation: rule } = error;
  return !errors.some(
    (other) =>
      other !== error &&
      other.keyword !== "false" &&
      (other.instanceLocation === at || other.instanceLocation.startsWith(`${at}/`)) &&
      // A known property that does not fit is called unknown as well.
      (error.keyword === "false" || other.keywordLocation.startsWith(`${rule}/`)),
  );
}

/** Keywords whose errors always come with the error of a part. */
const wrappers: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "allOf",
  "if",
  "$ref",
  "$recursiveRef",
]);

function describeProblem({ instanceLocation, keyword, error }: OutputUnit): string {
  const path = readable(instanceLocation.slice(1)) || "arguments";
  const what = keyword === "false" ? "This property is not known." : error;
  const line = `${path}: ${what}`;
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

function readable(pointer: string): string {
  try {
    return decodeURI(pointer);
  } catch {
    return pointer;
  }
}
