"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { FieldLine, FieldRow } from "@/components/ui/controls/field-line";
import {
  emptyOf,
  fieldsOf,
  isElsewhere,
  isObject,
  kindOf,
  ownValue,
  resolveSchema,
} from "@/lib/client/servers/schema-draft";
import { AddButton, Change, RemoveButton } from "./schema-acts";
import { SchemaGroup } from "./schema-group";
import { ScalarField, type SchemaFieldProps } from "./schema-scalar";

const maxDepth = 8;
const maxItems = 100;

/** A field for any value: scalars as they are best entered, objects and lists as fields within, the rest as JSON. */
export function SchemaField(props: SchemaFieldProps) {
  const { draft, path, value } = props;
  const schema = resolveSchema(props.schema, draft.root);
  const kind = kindOf(schema, value);
  if (kind === "object" && path.length < maxDepth && isObject(value))
    return <ObjectField {...props} schema={schema} value={value} />;
  if (kind === "list" && path.length < maxDepth && Array.isArray(value) && value.length <= maxItems)
    return <ListField {...props} schema={schema} value={value} />;
  return (
    <ScalarField {...props} schema={schema} kind={kind === "object" || kind === "list" ? "json" : kind} />
  );
}

function ObjectField(props: SchemaFieldProps & { value: Record<string, unknown> }) {
  const { draft, schema, path, value } = props;
  return (
    <SchemaGroup {...props} names={Object.keys(value)}>
      <ObjectFields draft={draft} schema={schema} path={path} value={value} />
    </SchemaGroup>
  );
}

/** The fields of an object, one below the other, and those that can be added. */
export function ObjectFields({
  draft,
  schema,
  path,
  value,
}: Omit<SchemaFieldProps, "name" | "value" | "end"> & { value: Record<string, unknown> }) {
  const t = useTranslations("common.form");
  const { properties, required } = fieldsOf(schema);
  const before = path.length === 0 ? (draft.original ?? {}) : {};
  const isShown = (name: string) => Object.hasOwn(value, name) || Object.hasOwn(before, name);
  const names = [
    ...new Set([...Object.keys(properties).filter(isShown), ...Object.keys(before), ...Object.keys(value)]),
  ];
  const missing = Object.keys(properties).filter((name) => !isShown(name));
  return (
    <>
      {names.map((name) => (
        <NamedField
          key={name}
          draft={draft}
          schema={ownValue(properties, name) ?? {}}
          path={[...path, name]}
          name={name}
          value={ownValue(value, name)}
          isOptional={Object.hasOwn(properties, name) && !required.includes(name)}
        />
      ))}
      {missing.length > 0 && (
        <div className="flex flex-wrap gap-x-3 py-0.5">
          {missing.map((name) => (
            <AddButton
              key={name}
              name={name}
              label={t("add", { name })}
              onClick={() => draft.set([...path, name], emptyOf(properties[name] ?? {}, draft.root))}
            />
          ))}
        </div>
      )}
    </>
  );
}

function NamedField({ isOptional, ...props }: SchemaFieldProps & { isOptional: boolean }) {
  const t = useTranslations("common.form");
  const id = useId();
  const { draft, path, name, value } = props;
  const resolved = resolveSchema(props.schema, draft.root);
  const { description } = resolved;
  const says = typeof description === "string" ? description : undefined;
  const end = (
    <>
      <Change draft={draft} name={name} path={path} value={value} />
      {isOptional && value !== undefined && (
        <RemoveButton name={name} onClick={() => draft.set(path, undefined)} />
      )}
    </>
  );
  return (
    <FieldLine
      htmlFor={id}
      label={name}
      tip={says}
      depth={path.length - 1}
      boxed={draft.showsHints}
      hints={[
        ...(draft.showsHints && says !== undefined ? [says] : []),
        ...(isElsewhere(resolved) ? [t("elsewhere")] : []),
      ]}
    >
      {value === undefined ? (
        <FieldRow>
          <span id={id} className="flex-1 phone:flex-none" />
          {end}
        </FieldRow>
      ) : (
        <SchemaField {...props} id={id} end={end} />
      )}
    </FieldLine>
  );
}

function ListField(props: SchemaFieldProps & { value: unknown[] }) {
  const t = useTranslations("common.form");
  const { draft, schema, path, name, value } = props;
  const items = isObject(schema.items) ? schema.items : {};
  const begun = () =>
    value.length > 0 && Object.keys(items).length === 0
      ? structuredClone(value.at(-1))
      : emptyOf(items, draft.root);
  return (
    <SchemaGroup {...props} names={value.map(shown)}>
      {value.map((item, at) => (
        <SchemaField
          // biome-ignore lint/suspicious/noArrayIndexKey: items of a list have no identity but their place
          key={at}
          draft={draft}
          schema={items}
          path={[...path, at]}
          name={`${name} ${at + 1}`}
          value={item}
          end={
            <RemoveButton name={`${name} ${at + 1}`} onClick={() => draft.set([...path, at], undefined)} />
          }
        />
      ))}
      {value.length < maxItems && (
        <AddButton
          name={name}
          label={t("addTo", { name })}
          onClick={() => draft.set([...path, value.length], begun())}
        />
      )}
    </SchemaGroup>
  );
}

const shown = (item: unknown) => (isObject(item) ? Object.keys(item).join(" ") : String(item));
