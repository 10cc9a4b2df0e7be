import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn";
import { withBlocks } from "@/components/ui/redacted";

/** A longer name has a line to itself, above its value. */
const longestBeside = 18;

/** Names and values; all values of a result and of its arguments begin at the same place. */
export function Pairs({
  pairs,
  className,
}: {
  pairs: readonly (readonly [name: string, value: ReactNode])[];
  className?: string;
}) {
  return (
    <dl
      className={cn(
        "grid grid-cols-[132px_minmax(0,1fr)] gap-x-3 phone:grid-cols-[104px_minmax(0,1fr)]",
        className,
      )}
    >
      {pairs.map(([name, value]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className={cn("wrap-anywhere text-ink-3", name.length > longestBeside && "col-span-2")}>
            {name}
          </dt>
          <dd className="col-start-2 max-h-60 overflow-auto whitespace-pre-wrap wrap-anywhere [scrollbar-width:thin]">
            {typeof value === "string" ? withBlocks(value) : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
