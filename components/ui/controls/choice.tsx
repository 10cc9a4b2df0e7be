import { useId } from "react";

export interface ChoiceProps<Value extends string> {
  /** The name for readers; `labelledBy` where it is written beside it. */
  label?: string;
  labelledBy?: string;
  describedBy?: string;
  options: readonly { value: Value; label: string; lang?: string }[];
  /** Empty or unknown: none is chosen yet. */
  value: Value | undefined;
  onChange(value: Value): void;
}

/** One of two to five words: the chosen one is bold and underlined. A radio group, so that arrows go from word to word. */
export function Choice<Value extends string>({
  label,
  labelledBy,
  describedBy,
  options,
  value,
  onChange,
}: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset
      aria-label={label}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      className="flex flex-wrap gap-x-3 text-micro"
    >
      {options.map((option) => (
        <label
          key={option.value}
          lang={option.lang}
          className="flex min-h-6 min-w-6 cursor-pointer items-center justify-center text-ink-3 hover:text-ink has-checked:text-ink has-focus-visible:rounded-chip has-focus-visible:outline-2 has-focus-visible:outline-offset-2 phone:min-h-11 phone:min-w-8"
        >
          <input
            type="radio"
            className="peer sr-only"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span
            data-word={option.label}
            className="keeps-bold leading-6 whitespace-nowrap peer-checked:font-semibold peer-checked:shadow-[inset_0_-1.5px_var(--ink)]"
          >
            {option.label}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
