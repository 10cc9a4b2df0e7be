"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { TextButton } from "@/components/ui/controls/text-button";
import { showInvisible } from "@/lib/protocol/show-invisible";

/** Longer ones are folded, so that what can be tried stays in sight. */
const foldFrom = 2_000;

/** What a tool says of itself. */
export function ToolAbout({ text }: { text: string }) {
  const t = useTranslations("server.try");
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > foldFrom;
  return (
    <>
      <p className="mt-1 text-[14px] whitespace-pre-line wrap-anywhere text-ink-2">
        {showInvisible(isLong && !isWhole ? `${text.slice(0, foldFrom / 2)}…` : text)}
      </p>
      {isLong && (
        <TextButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {t(isWhole ? "lessText" : "wholeText")}
        </TextButton>
      )}
    </>
  );
}
