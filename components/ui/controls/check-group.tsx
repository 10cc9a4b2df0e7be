import { type ReactNode, useId } from "react";

export interface CheckGroupProps {
  legend: string;
  /** What is wrong with what is chosen. */
  error?: string | undefined;
  /** A `Check` each. */
  children: ReactNode;
}

/** Rows of which several may be chosen. */
export function CheckGroup({ legend, error, children }: CheckGroupProps) {
  const id = useId();
  return (
    <fieldset className="mt-4 text-mach" aria-describedby={error && id}>
      <legend className="mb-1 text-ink-2">{legend}</legend>
      {children}
      {error && (
        <p id={id} role="alert" className="mt-1 text-shu">
          {error}
        </p>
      )}
    </fieldset>
  );
}
