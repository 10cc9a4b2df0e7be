import type { ReactNode } from "react";

/** Some lines of a sidebar under their heading. */
export function SideGroup({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="px-2 pt-3 pb-1 text-micro font-normal text-ink-3 [:first-child>&]:pt-1">
        {title}
      </h2>
      {children}
    </section>
  );
}
