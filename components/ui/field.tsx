import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "./cn";

interface Labelled {
  label: ReactNode;
  /** Keeps the label for readers only. */
  hideLabel?: boolean;
  hint?: ReactNode;
  /** What is wrong and what to do; stands in place of the hint and is announced. */
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
      <input id={id} className={cn("field", mono && "mono")} {...described(id, hint, error)} {...rest} />
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
        className={cn("field resize-y", mono && "mono")}
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
