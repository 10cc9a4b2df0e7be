"use client";

import { type ReactNode, useRef } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { CopyButton } from "@/components/ui/controls/copy-button";

export interface CodeBlockProps {
  language?: string | undefined;
  /** Only its beginning is seen; all of it is there to be copied and found. */
  isFolded?: boolean;
  /** What stands below the code. */
  after?: ReactNode;
  children: ReactNode;
}

/** The frame of a piece of code: paper ground, two hairlines, language and copy on its first line. */
export function CodeBlock({ language, isFolded = false, after, children }: CodeBlockProps) {
  const t = useTranslations("common");
  const pre = useRef<HTMLPreElement>(null);
  return (
    <div data-frame="" className="relative bg-paper-2 rule-y">
      <div className="absolute top-1 right-1 z-1 flex items-center gap-1 text-micro text-ink-3 [&>span]:bg-paper-2 [&>span]:px-1 phone:[&>button]:size-8 phone:[&>button]:bg-paper-2 phone:[&>span]:hidden">
        {/* Its ground keeps it readable over a long first line. */}
        {language && <span>{language}</span>}
        <CopyButton label={t("copyCode")} text={() => pre.current?.textContent ?? ""} />
      </div>
      <pre
        ref={pre}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        className={cn(
          "more-beside p-3 font-mono text-code [scrollbar-width:thin]",
          isFolded
            ? "max-h-106 overflow-x-auto overflow-y-hidden noscript:max-h-none print:max-h-none"
            : "overflow-auto",
        )}
      >
        {children}
      </pre>
      {after}
    </div>
  );
}
