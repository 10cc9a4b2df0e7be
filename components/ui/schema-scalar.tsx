"use client";

import { useTranslations } from "use-intl";
import {
  type FieldKind,
  isInteger,
  type LooseSchema,
  type Path,
  pointer,
  readText,
} from "@/lib/client/servers/schema-draft";
import { Switch } from "./switch";

/** A value that is edited by its schema: what it is, what cannot be read yet, and how it changes. */
export interface SchemaDraft {
  /** Of the whole value, where references are looked up. */
  root: LooseSchema;
  /** Texts that do not stand for a value, by place. */
  unread: Readonly<Record<string, string>>;
  /** What the schema says of each field stands below it, not only where the pointer rests. */
  showsHints?: boolean;
  set(path: Path, value: unknown): void;
  setText(path: Path, text: string, value: unknown): void;
}

export interface SchemaFieldProps {
  draft: SchemaDraft;
  schema: LooseSchema;
  path: Path;
  /** For readers, and what stands before the field. */
  name: string;
  value: unknown;
  id?: string;
}

/** A field for one value: a switch, a choice, or a text that is read as what the schema asks for. */
export function ScalarField({
  draft,
  schema,
  path,
  name,
  value,
  id,
  kind,
}: SchemaFieldProps & { kind: FieldKind }) {
  const t = useTranslations("common.form");
  const key = pointer(path);
  const text = draft.unread[key] ?? (kind === "text" ? String(value ?? "") : JSON.stringify(value));
  if (kind === "boolean")
    return (
      <>
        <Switch id={id} label={name} checked={value === true} onChange={(on) => draft.set(path, on)} />
        <span className="meta">{String(value === true)}</span>
      </>
    );
  if (kind === "choice") {
    const choices = schema.enum as unknown[];
    return (
      <select
        id={id}
        aria-label={id ? undefined : name}
        className="schema-select"
        value={choices.indexOf(value)}
        onChange={({ target }) => draft.set(path, choices[Number(target.value)])}
      >
        {!choices.includes(value) && <option value={-1}>{JSON.stringify(value)}</option>}
        {choices.map((choice, at) => (
          <option key={JSON.stringify(choice)} value={at}>
            {String(choice)}
          </option>
        ))}
      </select>
    );
  }
  const wrong = draft.unread[key] !== undefined;
  return (
    <>
      <textarea
        id={id}
        aria-label={id ? undefined : name}
        className="schema-text"
        rows={1}
        spellCheck={false}
        inputMode={kind === "number" ? "decimal" : undefined}
        value={text}
        aria-invalid={wrong || undefined}
        onChange={({ target }) => draft.setText(path, target.value, readText(schema, kind, target.value))}
      />
      {wrong && <span className="schema-wrong text-shu">{wanted(t, schema, kind)}</span>}
    </>
  );
}

type Words = ReturnType<typeof useTranslations<"common.form">>;

function wanted(t: Words, schema: LooseSchema, kind: FieldKind): string {
  if (kind !== "number") return t("json");
  const { minimum, maximum } = schema;
  if (typeof minimum === "number" && typeof maximum === "number")
    return t("between", { min: minimum, max: maximum });
  return t(isInteger(schema) ? "integer" : "number");
}
