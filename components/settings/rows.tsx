import type { ComponentProps, ReactNode } from "react";
import { cn } from "@/components/ui/cn";

/** A list of lines with a hairline above each; on the page it has one above and one below as well, in a section the section has them. */
export function Rows({
  inSection = false,
  ...rest
}: Omit<ComponentProps<"ul">, "className"> & { inSection?: boolean }) {
  return <ul className={cn("text-mach", inSection ? "*:first:shadow-none" : "rule-y")} {...rest} />;
}

/** The names of the columns; `columns` is what the lines below have. Readers hear each line without them. */
export function RowsHead({ columns, children }: { columns: string; children: ReactNode }) {
  return (
    <li
      aria-hidden="true"
      className={cn(
        "grid h-7 items-center gap-x-4 whitespace-nowrap text-micro text-ink-3 slim:hidden",
        columns,
      )}
    >
      {children}
    </li>
  );
}
