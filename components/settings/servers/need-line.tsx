import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn";

/** What a server needs in words, and beside it what can be done; below each other where the page is narrow. */
export function NeedLine({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-start justify-end gap-2 not-first:mt-2">{children}</div>;
}

export function NeedWords({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <p
      className={cn(
        "mr-auto max-w-130 min-w-0 flex-1 basis-80 text-pretty wrap-anywhere slim:basis-full",
        className,
      )}
    >
      {children}
    </p>
  );
}
