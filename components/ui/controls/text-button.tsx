import type { ComponentProps } from "react";
import { cn } from "@/components/ui/cn";

/** A button that reads as words of the line that it is in. */
export function TextButton({ className, ...rest }: ComponentProps<"button">) {
  return (
    <button
      type="button"
      className={cn(
        "self-start text-micro leading-5 text-ink-3 underline decoration-rule-2 underline-offset-3 hover:enabled:text-ink disabled:no-underline phone:min-h-11",
        className,
      )}
      {...rest}
    />
  );
}
