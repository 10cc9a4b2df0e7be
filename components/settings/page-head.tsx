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
    <header className="mb-5 flex flex-wrap items-start gap-2">
      <div className="min-w-0 flex-[1_1_320px]">
        <h1 className="font-voice text-title">{title}</h1>
        {lede && <div className="mt-1 max-w-150 text-[14px] leading-5 text-pretty text-ink-2">{lede}</div>}
      </div>
      {children && <div className="flex flex-wrap gap-2">{children}</div>}
    </header>
  );
}
