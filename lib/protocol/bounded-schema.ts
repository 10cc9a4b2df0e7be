import { countParts } from "./count-parts";

const maxDepth = 50;
const maxParts = 20_000;
const maxCharacters = 200_000;
/** Parts of the schema times characters of the value, as an upper bound of the work: well below a second. */
const maxSteps = 20_000_000;

export interface BoundedSchema {
  schema: Record<string, unknown>;
  parts: number;
}

/**
 * A copy of a schema that somebody else wrote, with nothing in it that can take any time at all; undefined for one
 * that is too large or too deep. What it refuses, the whole schema refuses too, but not the other way round.
 *
 * Not checked, therefore: `pattern`, `patternProperties` and `format` (a regular expression can run for years),
 * `uniqueItems` (grows with the square), `$recursiveRef`; and in a schema that has one of them also what would refuse
 * wrongly without it: `not`, `if`, `maxContains`, `unevaluated…`, `additionalProperties` beside `patternProperties`,
 * and that of `oneOf` no second one fits.
 */
export function boundSchema(schema: Record<string, unknown>): BoundedSchema | undefined {
  const parts = countParts(schema, maxDepth, maxParts);
  if (parts === undefined) return undefined;
  const whole = copySchema(schema, []);
  const isSafe = countParts(copySchema(schema, unsafe), maxDepth, maxParts) === parts;
  return { schema: (isSafe ? whole : copySchema(schema, left)) as Record<string, unknown>, parts };
}

/**
 * How many references may be followed while the value is checked; undefined when it is too large to be checked at
 * all. Throws for a value that is no JSON.
 */
export function referenceLimit({ parts }: BoundedSchema, value: unknown): number | undefined {
  const { length } = JSON.stringify(value);
  if (length > maxCharacters || parts * length > maxSteps) return undefined;
  return Math.floor(maxSteps / (parts + length));
}

/** The same object, which throws after so many reads: references can lead to others, twice each, and so on. */
export function limitReads<Lookup extends object>(lookup: Lookup, limit: number): Lookup {
  let reads = 0;
  return new Proxy(lookup, {
    get: (target, name) => {
      if (++reads > limit) throw new Error("The schema refers to itself too often.");
      return Reflect.get(target, name);
    },
  });
}

const unsafe = ["pattern", "patternProperties", "format", "uniqueItems", "$recursiveRef", "$recursiveAnchor"];
const wrongWithoutThem = [
  "not",
  "if",
  "then",
  "else",
  "maxContains",
  "unevaluatedProperties",
  "unevaluatedItems",
];
const left = [...unsafe, ...wrongWithoutThem];
/** Their members are schemas under names that mean nothing. */
const maps = ["properties", "$defs", "definitions", "dependentSchemas", "dependencies"];
/** They hold no schemas. */
const data = ["enum", "const", "default", "examples"];

function copySchema(schema: unknown, without: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((part) => copySchema(part, without));
  if (!isObject(schema)) return schema;
  const copied = Object.entries(schema)
    .filter(([keyword]) => !without.includes(keyword))
    .map(([keyword, value]) => [keyword, copyValue(keyword, value, without)] as const);
  const copy: Record<string, unknown> = Object.fromEntries(copied);
  if (without !== left) return copy;
  if (Object.hasOwn(schema, "patternProperties")) delete copy.additionalProperties;
  if (copy.oneOf !== undefined) {
    copy.anyOf ??= copy.oneOf;
    delete copy.oneOf;
  }
  return copy;
}

function copyValue(keyword: string, value: unknown, without: readonly string[]): unknown {
  if (data.includes(keyword)) return structuredClone(value);
  if (!maps.includes(keyword) || !isObject(value)) return copySchema(value, without);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copySchema(part, without)]));
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
