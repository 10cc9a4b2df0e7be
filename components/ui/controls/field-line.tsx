import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn";

export interface FieldLineProps {
  htmlFor: string;
  labelId?: string;
  label: ReactNode;
  tip?: string | undefined;
  /** How many values it lies within: deeper down the name has less room, and then stands above its field. */
  depth?: number;
  /** With fields that have a border, as in a form; without, a line of a list. */
  boxed?: boolean | undefined;
  hints?: readonly string[];
  children: ReactNode;
}

/** A name and its field on one line. */
export function FieldLine({
  htmlFor,
  labelId,
  label,
  tip,
  depth = 0,
  boxed,
  hints = [],
  children,
}: FieldLineProps) {
  return (
    <div className={cn("grid items-start text-mach", columns(depth), looks(depth, boxed))}>
      <label
        htmlFor={htmlFor}
        id={labelId}
        title={tip}
        className={cn("pt-2 font-mono text-[12px]/5 wrap-anywhere text-ink-2", depth === 0 && "phone:pt-3")}
      >
        {label}
      </label>
      {children}
      {hints.map((hint) => (
        <small
          key={hint}
          className={cn(
            "text-micro wrap-anywhere text-ink-3",
            depth < 2 && "col-start-2",
            depth > 0 && "@max-[400px]/part:col-start-1 phone:col-start-1",
            !boxed && "-mt-2 pb-2",
          )}
        >
          {hint}
        </small>
      ))}
    </div>
  );
}

function columns(depth: number): string {
  if (depth === 0) return "grid-cols-[132px_minmax(0,1fr)] gap-x-3 phone:grid-cols-[112px_minmax(0,1fr)]";
  if (depth === 1)
    return "grid-cols-[minmax(72px,112px)_minmax(0,1fr)] gap-x-3 @max-[400px]/part:grid-cols-[minmax(0,1fr)] phone:grid-cols-[minmax(0,1fr)]";
  return "grid-cols-[minmax(0,1fr)]";
}

function looks(depth: number, boxed: boolean | undefined): string {
  if (boxed) return "gap-y-1 py-1.5";
  return depth === 0 ? "min-h-9 shadow-[inset_0_-1px_var(--line,var(--rule))] phone:min-h-11" : "min-h-8";
}

/** A field with what stands at its right; on phones what has no room beside it comes below. */
export function FieldRow({ children }: { children: ReactNode }) {
  return (
    <span className="flex min-h-9 min-w-0 items-center gap-x-2 phone:min-h-11 phone:flex-wrap">
      {children}
    </span>
  );
}
