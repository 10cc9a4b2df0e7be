import type { ReactNode } from "react";

/** Title, one or two sentences, and what one can do here. */
export function PageHead({
  title,
  lede,
  children,
}: {
  title: string;
  lede?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <header className="flex items-start gap-2 phone:flex-wrap">
      <div className="min-w-0 flex-1 phone:flex-none phone:w-full">
        <h1 className="page-title">{title}</h1>
        {lede && <div className="lede min-h-5">{lede}</div>}
      </div>
      {children}
    </header>
  );
}
