import { type ReactNode, useId } from "react";

export interface SectionProps {
  title: string;
  /** A line or two below the title. */
  note?: ReactNode;
  /** Below the note: what is done with the section as a whole. */
  action?: ReactNode;
  children: ReactNode;
}

/** A part of a page: its name at the left, what belongs to it at the right, a hairline above. */
export function Section({ title, note, action, children }: SectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid grid-cols-[208px_minmax(0,1fr)] gap-x-8 gap-y-2 py-5 rule-t text-mach mid:grid-cols-1"
    >
      <div>
        <h2 id={id} className="font-voice text-voice">
          {title}
        </h2>
        {note && <p className="max-w-120 text-micro text-pretty text-ink-3">{note}</p>}
        {action && <div className="mt-3">{action}</div>}
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
