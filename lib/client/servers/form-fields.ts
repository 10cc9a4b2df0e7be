import { isObject, type LooseSchema } from "./schema-draft";

/** A field of a form that a server asks to have filled in (MCP elicitation: a flat object of simple values). */
export interface FormField {
  name: string;
  label: string;
  description: string | undefined;
  required: boolean;
  kind: "text" | "number" | "boolean" | "choice" | "choices";
  /** The type of the input element. */
  inputType: "text" | "email" | "url" | "date" | "datetime-local" | "number";
  options: { value: string; label: string }[];
  limits: { min?: number; max?: number; minLength?: number; maxLength?: number; step?: number | "any" };
  initial: FieldValue;
}
export type FieldValue = string | boolean | string[];
export type FormDraft = Readonly<Record<string, FieldValue>>;

const maxFields = 50;

/** The fields of a requested schema, in its order, with its defaults. */
export function readFields(schema: unknown): FormField[] {
  const { properties, required } = isObject(schema) ? schema : {};
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(isObject(properties) ? properties : {})
    .slice(0, maxFields)
    .map(([name, property]) => readField(name, isObject(property) ? property : {}, needed.has(name)));
}

/** The value of a field. Own members only: `constructor` can be the name of a field too. */
export const valueIn = (draft: FormDraft, { name, initial }: FormField): FieldValue =>
  (Object.hasOwn(draft, name) ? draft[name] : undefined) ?? initial;

/** What is sent: numbers as numbers, times in UTC, and nothing for what was left empty. */
export function toContent(fields: readonly FormField[], draft: FormDraft): Record<string, unknown> {
  const entries = fields.map((field) => [field.name, toValue(field, valueIn(draft, field))] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function readField(name: string, schema: LooseSchema, required: boolean): FormField {
  const kind = kindOf(schema);
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    name,
    label: text(schema.title) ?? name,
    description: text(schema.description),
    required,
    kind,
    inputType: kind === "number" ? "number" : inputTypeOf(schema.format),
    options: optionsOf(kind === "choices" && isObject(schema.items) ? schema.items : schema),
    limits: limitsOf(schema, kind),
    initial: initialOf(schema, kind),
  };
}

function kindOf(schema: LooseSchema): FormField["kind"] {
  if (schema.type === "array") return "choices";
  if (optionsOf(schema).length > 0) return "choice";
  if (schema.type === "boolean") return "boolean";
  return schema.type === "number" || schema.type === "integer" ? "number" : "text";
}

function inputTypeOf(format: unknown): FormField["inputType"] {
  switch (format) {
    case "email":
      return "email";
    case "uri":
      return "url";
    case "date":
      return "date";
    case "date-time":
      return "datetime-local";
    default:
      return "text";
  }
}

/** Options as `enum`, as `enum` with `enumNames`, or titled as `oneOf` or `anyOf` of `const` and `title`. */
function optionsOf(schema: LooseSchema): FormField["options"] {
  const titled = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const named = titled
    .filter(isObject)
    .flatMap(({ const: value, title }) =>
      typeof value === "string" ? [{ value, label: typeof title === "string" ? title : value }] : [],
    );
  if (named.length > 0) return named;
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
  const values = Array.isArray(schema.enum) ? schema.enum : [];
  return values.map((value, index) => ({ value: String(value), label: String(names[index] ?? value) }));
}

function limitsOf(schema: LooseSchema, kind: FormField["kind"]): FormField["limits"] {
  const limits: FormField["limits"] = {};
  if (typeof schema.minimum === "number") limits.min = schema.minimum;
  if (typeof schema.maximum === "number") limits.max = schema.maximum;
  if (typeof schema.minLength === "number") limits.minLength = schema.minLength;
  if (typeof schema.maxLength === "number") limits.maxLength = schema.maxLength;
  if (kind === "number") limits.step = schema.type === "integer" ? 1 : "any";
  return limits;
}

function initialOf({ default: value, format }: LooseSchema, kind: FormField["kind"]): FieldValue {
  switch (kind) {
    case "boolean":
      return value === true;
    case "choices":
      return Array.isArray(value) ? value.map(String) : [];
    case "text":
    case "number":
    case "choice":
      if (value === undefined || value === null) return "";
      return format === "date-time" ? localTime(String(value)) : String(value);
  }
}

function toValue({ kind, inputType }: FormField, value: FieldValue): unknown {
  if (kind === "boolean" || kind === "choices") return value;
  if (value === "") return undefined;
  if (kind === "number") return Number(value);
  return inputType === "datetime-local" ? new Date(String(value)).toISOString() : value;
}

/** In the format of `datetime-local`: local time, to the minute. */
function localTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
