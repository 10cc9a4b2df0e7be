"use client";

import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { payloadLook } from "@/components/chat/parts/payload";
import { cn } from "@/components/ui/cn";
import { TextButton } from "@/components/ui/controls/text-button";
import { piecesOf } from "@/lib/client/run/wire-body";

/** What is shown at first: lines, and characters of them. */
const firstLines = 40;
const firstCharacters = 4_000;

/** A text of up to a million characters: its beginning, and on request all of it, of which only what is in sight is laid out. */
export function LongText({ text }: { text: string }) {
  const t = useTranslations("chat.tool");
  const [isWhole, setWhole] = useState(false);
  const first = useMemo(() => beginning(text), [text]);
  const pieces = useMemo(() => (isWhole ? piecesOf(text) : [first]), [isWhole, text, first]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre className={cn(payloadLook, "max-h-[70dvh] print:max-h-none")} tabIndex={0}>
        {pieces.map((piece, at) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes
            key={at}
            className="block min-h-5 [contain-intrinsic-block-size:auto_1200px] [content-visibility:auto] print:[content-visibility:visible]"
          >
            {piece}
          </span>
        ))}
      </pre>
      {first.length < text.length && (
        <TextButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {t(isWhole ? "showLess" : "showAll")}
        </TextButton>
      )}
    </>
  );
}

function beginning(text: string): string {
  const start = text.slice(0, firstCharacters);
  const lines = start.split("\n", firstLines);
  const kept = lines.join("\n");
  return kept.length < start.length || start.length < text.length ? kept.toWellFormed() : text;
}
