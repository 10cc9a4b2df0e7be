import { type ComponentProps, type ReactNode, useId } from "react";
import { fieldClass } from "@/components/ui/controls/field";

export interface FormRowProps {
  label: string;
  hint?: ReactNode;
  /** What is wrong; it takes the place of the hint and is announced. */
  error?: string | undefined;
  /** The control is several in one: the label names their group. */
  isGroup?: boolean;
  /** The control, with what ties it to its label and its hint. */
  children(ties: { id: string; labelId: string; described: Described }): ReactNode;
}

interface Described {
  "aria-describedby"?: string;
  "aria-invalid"?: true;
}

/** One line of a form: its name and hint at the left, its control at the right. */
export function FormRow({ label, hint, error, isGroup = false, children }: FormRowProps) {
  const id = useId();
  const Label = isGroup ? "span" : "label";
  const note = error ?? hint;
  return (
    <div className="grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 py-1.5 rule-b text-mach last:shadow-none">
      <div>
        <Label id={`${id}-label`} {...(!isGroup && { htmlFor: id })}>
          {label}
        </Label>
        {note && (
          <p
            id={`${id}-note`}
            role={error ? "alert" : undefined}
            className={error ? "text-micro text-shu" : "text-micro text-pretty text-ink-3"}
          >
            {note}
          </p>
        )}
      </div>
      {children({
        id,
        labelId: `${id}-label`,
        described: {
          ...(note && { "aria-describedby": `${id}-note` }),
          ...(error && { "aria-invalid": true as const }),
        },
      })}
    </div>
  );
}

/** A number. What holds while the field is empty is its placeholder. */
export function NumberRow({
  label,
  hint,
  error,
  ...input
}: Omit<FormRowProps, "children"> & ComponentProps<"input">) {
  return (
    <FormRow label={label} hint={hint} error={error}>
      {({ id, described }) => (
        <input
          id={id}
          className={fieldClass({ width: "number" })}
          inputMode="decimal"
          autoComplete="off"
          {...described}
          {...input}
        />
      )}
    </FormRow>
  );
}
