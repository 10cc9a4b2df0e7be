import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn";

export interface CheckProps {
  isChosen: boolean;
  /** It cannot be chosen, or no more can. */
  isOff: boolean;
  onChange(isOn: boolean): void;
  children: ReactNode;
}

/** A row that is chosen or not. */
export function Check({ isChosen, isOff, onChange, children }: CheckProps) {
  return (
    <label
      className={cn(
        "flex min-h-7 items-baseline gap-2 rounded-chip px-1 py-1 phone:min-h-11 phone:items-center",
        isOff ? "text-ink-2" : "cursor-pointer hover:bg-paper-3",
      )}
    >
      <input
        type="checkbox"
        className="translate-y-0.5"
        checked={isChosen}
        disabled={isOff}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </label>
  );
}
