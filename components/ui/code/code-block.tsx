"use client";

import { type ReactNode, useRef } from "react";
import { useTranslations } from "use-intl";
import { CopyButton } from "@/components/ui/controls/copy-button";

/** The frame of a piece of code: paper ground, two hairlines, language and copy on its first line. */
export function CodeBlock({ language, children }: { language?: string | undefined; children: ReactNode }) {
  const t = useTranslations("common");
  const pre = useRef<HTMLPreElement>(null);
  return (
    <div data-frame="" className="relative bg-paper-2 rule-y">
      <div className="absolute top-1 right-1 z-1 flex items-center gap-1 text-micro text-ink-3 phone:[&>button]:size-8 phone:[&>button]:bg-paper-2 phone:[&>span]:hidden">
        {language && <span>{language}</span>}
        <CopyButton label={t("copyCode")} text={() => pre.current?.textContent ?? ""} />
      </div>
      <pre
        ref={pre}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        className="more-beside overflow-auto p-3 font-mono text-code [scrollbar-width:thin]"
      >
        {children}
      </pre>
    </div>
  );
}
