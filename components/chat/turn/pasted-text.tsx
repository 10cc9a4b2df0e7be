"use client";

import { useMemo } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { payloadLook } from "@/components/chat/parts/payload";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { withBlocks } from "@/components/ui/redacted";
import { useSize } from "@/components/ui/words/use-size";
import { cutPlain } from "@/lib/client/text/markdown-pieces";
import { bytesOf, countLines, roughTokens } from "@/lib/client/text/pasted-text";
import { beginningOf } from "@/lib/protocol/redacted-text";

const maxFirstLine = 200;

/** A long text in a question: one row that opens in place, also where there is no script. */
export function PastedText({ text }: { text: string }) {
  const t = useTranslations("chat.question");
  const size = useSize();
  const format = useFormatter();
  const lines = useMemo(() => countLines(text), [text]);
  const tokens = format.number(roughTokens(text), { notation: "compact" });
  return (
    <details data-pasted="" className="group/pasted mt-2 max-w-160 text-mach rule-y">
      <summary className="grid min-h-12 cursor-pointer list-none grid-cols-[16px_minmax(0,1fr)_auto] items-center gap-x-3 [&::-webkit-details-marker]:hidden">
        <span className="text-ink-3">
          <Icon name="document" />
        </span>
        <span className="min-w-0">
          {t("pasted", { count: lines })}
          <code className="block truncate text-[12px]/4 text-ink-3 group-open/pasted:hidden">
            {withBlocks(beginningOf(text.trimStart(), maxFirstLine).split("\n")[0] ?? "")}
          </code>
        </span>
        <span className="flex items-center gap-3 text-micro text-ink-3">
          {t("pastedSize", { size: size(bytesOf(text)), tokens })}
          <span className="group-open/pasted:rotate-90">
            <Icon name="chevronRight" size={12} />
          </span>
        </span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre className={cn(payloadLook, "mb-3 max-h-[60dvh]")} tabIndex={0}>
        {cutPlain(text).map((piece, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message never changes
          <span key={at}>{withBlocks(piece)}</span>
        ))}
      </pre>
    </details>
  );
}
