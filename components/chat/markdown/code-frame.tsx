"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "@/components/ui/code/code-block";
import { TextButton } from "@/components/ui/controls/text-button";
import { useSize } from "@/components/ui/words/use-size";
import { countLines } from "@/lib/client/text/pasted-text";

/** Longer code is folded, in lines. */
const openLines = 40;

export interface CodeFrameProps {
  language: string | undefined;
  pieces: readonly string[];
  /** It is being written. */
  open: boolean;
  children: ReactNode;
}

/** The frame of code, of which a long one shows its first lines; whoever has seen it grow keeps it open. */
export function CodeFrame({ language, pieces, open, children }: CodeFrameProps) {
  const t = useTranslations("chat.code");
  const size = useSize();
  const [isWhole, setWhole] = useState(open);
  const code = open ? "" : pieces.join("").trimEnd();
  const lines = countLines(code);
  const isLong = lines > openLines;
  return (
    <CodeBlock
      language={language}
      isFolded={isLong && !isWhole}
      after={
        isLong && (
          <div className="px-3 pb-1 noscript:hidden print:hidden">
            <TextButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
              {isWhole ? t("showLess") : t("showLines", { count: lines, size: size(code.length) })}
            </TextButton>
          </div>
        )
      }
    >
      {children}
    </CodeBlock>
  );
}
