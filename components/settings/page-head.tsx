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
    <header className="page-head">
      <div>
        <h1 className="page-title">{title}</h1>
        {lede && <div className="lede min-h-5">{lede}</div>}
      </div>
      {children && <div className="page-acts">{children}</div>}
    </header>
  );
}
