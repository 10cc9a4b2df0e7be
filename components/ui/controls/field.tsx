import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "@/components/ui/cn";

/** The look of a field, for an element that is not one of those below. `number` is as wide as the numbers that people write. */
export function fieldClass({ mono = false, width = "full" }: FieldLook = {}): string {
  return cn(
    "field",
    mono && "font-mono text-[12px] phone:text-[16px]",
    { full: "w-full", number: "w-24", auto: "w-auto" }[width],
  );
}

interface FieldLook {
  mono?: boolean | undefined;
  width?: "full" | "number" | "auto";
}

interface Labelled {
  label: ReactNode;
  /** Keeps the label for readers only. */
  hideLabel?: boolean;
  hint?: ReactNode;
  /** What is wrong and what to do; it replaces the hint and is announced. */
  error?: string | undefined;
  mono?: boolean;
}

export function Field({
  label,
  hideLabel,
  hint,
  error,
  mono,
  className,
  ...rest
}: Labelled & ComponentProps<"input">) {
  const id = useId();
  return (
    <Frame id={id} label={label} hideLabel={hideLabel} hint={hint} error={error} className={className}>
      <input id={id} className={fieldClass({ mono })} {...described(id, hint, error)} {...rest} />
    </Frame>
  );
}

export function TextArea({
  label,
  hideLabel,
  hint,
  error,
  mono,
  className,
  ...rest
}: Labelled & ComponentProps<"textarea">) {
  const id = useId();
  return (
    <Frame id={id} label={label} hideLabel={hideLabel} hint={hint} error={error} className={className}>
      <textarea
        id={id}
        className={cn(fieldClass({ mono }), "resize-y")}
        spellCheck={mono ? false : undefined}
        {...described(id, hint, error)}
        {...rest}
      />
    </Frame>
  );
}

interface FrameProps {
  id: string;
  label: ReactNode;
  hideLabel: boolean | undefined;
  hint: ReactNode;
  error: string | undefined;
  className: string | undefined;
  children: ReactNode;
}

function Frame({ id, label, hideLabel, hint, error, className, children }: FrameProps) {
  return (
    <div className={className}>
      <label htmlFor={id} className={hideLabel ? "sr-only" : "mb-1 block text-mach text-ink-2"}>
        {label}
      </label>
      {children}
      {error ? (
        <p id={`${id}-note`} role="alert" className="mt-1 text-mach text-shu">
          {error}
        </p>
      ) : (
        hint && (
          <p id={`${id}-note`} className="mt-1 text-micro text-ink-3">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

function described(id: string, hint: ReactNode, error: string | undefined) {
  return {
    ...(Boolean(hint || error) && { "aria-describedby": `${id}-note` }),
    ...(error && { "aria-invalid": true as const }),
  };
}
