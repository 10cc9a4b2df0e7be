"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { TextButton } from "@/components/ui/controls/text-button";
import { withBlocks } from "@/components/ui/redacted";

/** Text between two hairlines, as it came. */
export const payloadLook =
  "overflow-auto bg-paper-2 px-3 py-2 font-mono text-[12px]/5 whitespace-pre-wrap wrap-anywhere rule-y [scrollbar-width:thin]";

/** All of it where nothing can be pressed. */
const foldedLook = "max-h-62 overflow-hidden noscript:max-h-none print:max-h-none";

/** More is folded: lines, and characters of lines that are longer than the column. */
const openLines = 12;
const openChars = 1_200;

/** A text of a tool; a long one shows its first lines, and all of it on request. */
export function Payload({ text }: { text: string }) {
  const t = useTranslations("chat.tool");
  const [isWhole, setWhole] = useState(false);
  const lines = text.trimEnd().split("\n").length;
  const isLong = lines > openLines || text.length > openChars;
  const isFolded = isLong && !isWhole;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre className={cn(payloadLook, isFolded && foldedLook)} tabIndex={0}>
        {withBlocks(text)}
      </pre>
      {isLong && (
        <TextButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t("showLess") : lines > openLines ? t("showAllLines", { count: lines }) : t("showAll")}
        </TextButton>
      )}
    </>
  );
}
