"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { FieldRow } from "@/components/ui/controls/field-line";
import { Switch } from "@/components/ui/controls/switch";
import {
  type FieldKind,
  isInteger,
  type LooseSchema,
  ownValue,
  type Path,
  pointer,
  readText,
} from "@/lib/client/servers/schema-draft";

/** A value that is edited by its schema: what it is, what cannot be read yet, and how it changes. */
export interface SchemaDraft {
  /** Of the whole value, where references are looked up. */
  root: LooseSchema;
  /** Texts that do not stand for a value, by place. */
  unread: Readonly<Record<string, string>>;
  /** As a form: fields with a border, and below each what the schema says of it. */
  showsHints?: boolean;
  /** What the whole value was before a person changed it; a line that differs says so. */
  original?: Record<string, unknown>;
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
  /** At the right end of its line. */
  end?: ReactNode;
}

/** Told of whole arguments: what changed within one is seen where it is open. */
export function isChanged({ original }: SchemaDraft, path: Path, value: unknown): boolean {
  const [name, ...rest] = path;
  if (original === undefined || name === undefined || rest.length > 0) return false;
  return JSON.stringify(ownValue(original, String(name))) !== JSON.stringify(value);
}

const boxed = "rounded-control border border-rule-2 bg-raised px-2";

interface ScalarFieldProps extends SchemaFieldProps {
  kind: FieldKind;
}

/** A field for one value: a switch, a choice, or a text that is read as what the schema asks for. */
export function ScalarField(props: ScalarFieldProps) {
  const { draft, path, name, value, id, kind, end } = props;
  return (
    <FieldRow>
      {kind === "boolean" ? (
        <>
          <Switch id={id} label={name} checked={value === true} onChange={(on) => draft.set(path, on)} />
          <span className="flex-1 text-ink-3">{String(value === true)}</span>
        </>
      ) : kind === "choice" ? (
        <ChoiceField {...props} />
      ) : (
        <TextField {...props} />
      )}
      {end}
    </FieldRow>
  );
}

function ChoiceField({ draft, schema, path, name, value, id }: ScalarFieldProps) {
  const choices = schema.enum as unknown[];
  return (
    <span className="min-w-0 flex-1">
      <select
        id={id}
        aria-label={id ? undefined : name}
        className={cn("min-h-7 max-w-full min-w-0 font-mono text-[13px]/5", boxed)}
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
    </span>
  );
}

function TextField({ draft, schema, path, name, value, id, kind }: ScalarFieldProps) {
  const t = useTranslations("common.form");
  const key = pointer(path);
  const text = draft.unread[key] ?? (kind === "text" ? String(value ?? "") : JSON.stringify(value));
  const wrong = draft.unread[key] !== undefined;
  return (
    <>
      <textarea
        id={id}
        aria-label={id ? undefined : name}
        className={cn(
          "field-sizing-content max-h-50 min-w-0 flex-1 resize-none font-mono text-[13px]/5 [scrollbar-width:thin]",
          draft.showsHints ? cn(boxed, "min-h-8 py-[5px]") : "py-2",
          isChanged(draft, path, value) && "font-semibold",
        )}
        rows={1}
        spellCheck={false}
        inputMode={kind === "number" ? "decimal" : undefined}
        value={text}
        aria-invalid={wrong || undefined}
        onChange={({ target }) => draft.setText(path, target.value, readText(schema, kind, target.value))}
      />
      {wrong && <span className="text-micro whitespace-nowrap text-shu">{wanted(t, schema, kind)}</span>}
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
