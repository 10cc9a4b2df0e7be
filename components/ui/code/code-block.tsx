"use client";

import { type ReactNode, useRef } from "react";
import { useTranslations } from "use-intl";
import { CopyButton } from "@/components/ui/controls/copy-button";

/** The frame of a piece of code: paper ground, two hairlines, language and copy on its first line. */
export function CodeBlock({ language, children }: { language?: string | undefined; children: ReactNode }) {
  const t = useTranslations("common");
  const pre = useRef<HTMLPreElement>(null);
  return (
    <div className="code">
      <div className="code-head">
        {language && <span>{language}</span>}
        <CopyButton label={t("copyCode")} text={() => pre.current?.textContent ?? ""} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre ref={pre} tabIndex={0}>
        {children}
      </pre>
    </div>
  );
}
