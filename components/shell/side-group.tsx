import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn";

/** Some lines of a sidebar under their heading; a `sticky` one stays in sight as long as lines of it are. */
export function SideGroup({
  id,
  title,
  sticky = false,
  children,
}: {
  id: string;
  title: string;
  sticky?: boolean;
  children: ReactNode;
}) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={cn("side-title", sticky && "sticky top-0 z-1 bg-paper-2")}>
        {title}
      </h2>
      {children}
    </section>
  );
}
