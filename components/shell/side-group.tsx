import type { ReactNode } from "react";

/** Some lines of a sidebar under their heading. */
export function SideGroup({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="side-title">
        {title}
      </h2>
      {children}
    </section>
  );
}
