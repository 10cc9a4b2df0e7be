"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import {
  emptyOf,
  fieldsOf,
  isElsewhere,
  isObject,
  kindOf,
  resolveSchema,
} from "@/lib/client/servers/schema-draft";
import { IconButton } from "./button";
import { ScalarField, type SchemaFieldProps } from "./schema-scalar";
import "./schema-field.css";

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

function ObjectField({
  draft,
  schema,
  path,
  name,
  value,
}: SchemaFieldProps & { value: Record<string, unknown> }) {
  return (
    <fieldset className="schema-group" aria-label={name}>
      <ObjectFields draft={draft} schema={schema} path={path} value={value} />
    </fieldset>
  );
}

/** The fields of an object, one below the other, and those that can be added. */
export function ObjectFields({
  draft,
  schema,
  path,
  value,
}: Omit<SchemaFieldProps, "name" | "value"> & { value: Record<string, unknown> }) {
  const t = useTranslations("common.form");
  const { properties, required } = fieldsOf(schema);
  const names = [
    ...new Set([
      ...Object.keys(properties).filter((name) => Object.hasOwn(value, name)),
      ...Object.keys(value),
    ]),
  ];
  const missing = Object.keys(properties).filter((name) => !Object.hasOwn(value, name));
  return (
    <>
      {names.map((name) => (
        <NamedField
          key={name}
          draft={draft}
          schema={properties[name] ?? {}}
          path={[...path, name]}
          name={name}
          value={value[name]}
          onRemove={
            required.includes(name) || !Object.hasOwn(properties, name)
              ? undefined
              : () => draft.set([...path, name], undefined)
          }
        />
      ))}
      {missing.length > 0 && (
        <div className="schema-more">
          {missing.map((name) => (
            <button
              key={name}
              type="button"
              className="schema-add"
              aria-label={t("add", { name })}
              onClick={() => draft.set([...path, name], emptyOf(properties[name] ?? {}, draft.root))}
            >
              + {name}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

function NamedField({ onRemove, ...props }: SchemaFieldProps & { onRemove: (() => void) | undefined }) {
  const t = useTranslations("common.form");
  const id = useId();
  const resolved = resolveSchema(props.schema, props.draft.root);
  const { description } = resolved;
  return (
    <div className="schema-line">
      <label htmlFor={id} title={typeof description === "string" ? description : undefined}>
        {props.name}
      </label>
      <span className="schema-value">
        <SchemaField {...props} id={id} />
        {onRemove && (
          <IconButton
            icon="cross"
            iconSize={12}
            label={t("remove", { name: props.name })}
            tipSide="right-edge"
            onClick={onRemove}
          />
        )}
      </span>
      {props.draft.showsHints && typeof description === "string" && (
        <small className="schema-hint">{description}</small>
      )}
      {isElsewhere(resolved) && <small className="schema-hint">{t("elsewhere")}</small>}
    </div>
  );
}

function ListField({ draft, schema, path, name, value }: SchemaFieldProps & { value: unknown[] }) {
  const t = useTranslations("common.form");
  const items = isObject(schema.items) ? schema.items : {};
  return (
    <fieldset className="schema-group" aria-label={name}>
      {value.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items of a list have no identity but their place
        <span key={at} className="schema-value">
          <SchemaField
            draft={draft}
            schema={items}
            path={[...path, at]}
            name={`${name} ${at + 1}`}
            value={item}
          />
          <IconButton
            icon="cross"
            iconSize={12}
            label={t("remove", { name: `${name} ${at + 1}` })}
            tipSide="right-edge"
            onClick={() => draft.set([...path, at], undefined)}
          />
        </span>
      ))}
      {value.length < maxItems && (
        <div className="schema-more">
          <button
            type="button"
            className="schema-add"
            aria-label={t("addTo", { name })}
            onClick={() =>
              draft.set(
                [...path, value.length],
                value.length > 0 && Object.keys(items).length === 0
                  ? structuredClone(value.at(-1))
                  : emptyOf(items, draft.root),
              )
            }
          >
            + {name}
          </button>
        </div>
      )}
    </fieldset>
  );
}
