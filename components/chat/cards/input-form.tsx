"use client";

import { useId } from "react";
import { FieldLine } from "@/components/ui/controls/field-line";
import { type FieldValue, type FormDraft, type FormField, valueIn } from "@/lib/client/servers/form-fields";
import { argumentLines } from "./call-arguments";

export interface InputFormProps {
  fields: readonly FormField[];
  draft: FormDraft;
  onChange(name: string, value: FieldValue): void;
}

/** The fields that a server has asked for; what does not fit is said by the browser, in the person's language. */
export function InputForm({ fields, draft, onChange }: InputFormProps) {
  return (
    <div className={argumentLines}>
      {fields.map((field) => (
        <Line
          key={field.name}
          field={field}
          value={valueIn(draft, field)}
          onChange={(value) => onChange(field.name, value)}
        />
      ))}
    </div>
  );
}

interface LineProps {
  field: FormField;
  value: FieldValue;
  onChange(value: FieldValue): void;
}

function Line({ field, value, onChange }: LineProps) {
  const id = useId();
  const hint = field.description && `${id}-hint`;
  return (
    <FieldLine
      htmlFor={id}
      labelId={`${id}-label`}
      label={
        <>
          {field.label}
          {field.required && <span aria-hidden="true"> *</span>}
        </>
      }
    >
      {/* A field for a time is wider than a phone's column by itself. */}
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-0.5 py-1">
        <Value field={field} value={value} onChange={onChange} id={id} hint={hint} />
        {hint && (
          <p id={hint} className="text-micro text-ink-3">
            {field.description}
          </p>
        )}
      </div>
    </FieldLine>
  );
}

function Value({ field, value, onChange, id, hint }: LineProps & { id: string; hint: string | undefined }) {
  const { kind, options, required, limits, inputType } = field;
  const about = { id, "aria-describedby": hint };
  switch (kind) {
    case "boolean":
      return (
        <input
          {...about}
          type="checkbox"
          className="my-1.5"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case "choice":
      return (
        <select
          {...about}
          className="field w-full"
          required={required}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="" />
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      );
    case "choices":
      return <Choices field={field} value={value} onChange={onChange} id={id} />;
    case "number":
    case "text":
      return (
        <input
          {...about}
          {...limits}
          className="field w-full"
          type={inputType}
          required={required}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

function Choices({ field, value, onChange, id }: LineProps & { id: string }) {
  const chosen = Array.isArray(value) ? value : [];
  return (
    <fieldset id={id} className="flex flex-wrap gap-x-3.5 gap-y-1 py-1" aria-labelledby={`${id}-label`}>
      {field.options.map((option) => (
        <label key={option.value} className="flex items-center gap-1.5">
          <input
            type="checkbox"
            checked={chosen.includes(option.value)}
            onChange={(event) =>
              onChange(
                event.target.checked
                  ? [...chosen, option.value]
                  : chosen.filter((one) => one !== option.value),
              )
            }
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
