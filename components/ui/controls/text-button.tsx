import type { ComponentProps } from "react";
import { cn } from "@/components/ui/cn";

/** A button that reads as words of the line that it is in. It stands at the start of a row, unless `className` says where else: `:where` lets that win. */
export function TextButton({ className, ...rest }: ComponentProps<"button">) {
  return (
    <button
      type="button"
      className={cn(
        "[:where(&)]:self-start text-micro leading-5 text-ink-3 underline decoration-rule-2 underline-offset-3 hover:enabled:text-ink disabled:no-underline phone:min-h-11",
        className,
      )}
      {...rest}
    />
  );
}
