"use client";

import { useId } from "react";
import { fieldClass } from "@/components/ui/controls/field";

export interface PickOneProps {
  label: string;
  /** What nothing means. */
  none: string;
  /** What becomes of what is chosen and not there any more. */
  gone: string;
  options: readonly { value: string; label: string }[];
  value: string;
  error: string | undefined;
  onChange(value: string): void;
}

/** One of a list, or none; what is chosen and is gone stays until the person takes it out. */
export function PickOne({ label, none, gone, options, value, error, onChange }: PickOneProps) {
  const id = useId();
  const isGone = value !== "" && options.every((option) => option.value !== value);
  const note = error ?? (isGone && options.length > 0 ? gone : undefined);
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-mach text-ink-2">
        {label}
      </label>
      <select
        id={id}
        className={fieldClass()}
        value={value}
        aria-describedby={note && `${id}-note`}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">{none}</option>
        {isGone && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {note && (
        <p id={`${id}-note`} role={error && "alert"} className="mt-1 text-micro text-shu">
          {note}
        </p>
      )}
    </div>
  );
}
