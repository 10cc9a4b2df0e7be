import { type ReactNode, useId } from "react";

export interface PartProps {
  title: string;
  /** Small, beside the title. */
  note?: ReactNode;
  /** At the right of the title. */
  action?: ReactNode;
  children: ReactNode;
}

/** One part of a project's page under its title. */
export function Part({ title, note, action, children }: PartProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="flex min-h-7 items-baseline gap-2">
        <h2 id={id} className="font-voice text-voice">
          {title}
        </h2>
        <span className="meta">{note}</span>
        <span className="flex-1" />
        <span className="self-center">{action}</span>
      </div>
      {children}
    </section>
  );
}

/** A line of a list on a project's page. */
export const lineLook =
  "flex min-h-8 items-center gap-2 text-mach shadow-[inset_0_-1px_var(--rule)] first:shadow-[inset_0_1px_var(--rule),inset_0_-1px_var(--rule)] phone:min-h-11";
