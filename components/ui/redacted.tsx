import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { blockPx, redactedPieces } from "@/lib/protocol/redacted-text";
import type { RedactedKind } from "@/lib/protocol/share-policy";

/**
 * A text of which what was redacted is a block of ink. Not a component: an element whose only child is a string is compared as a
 * whole when the page wakes up, while a parser splits a text of more than 65,536 characters into several nodes.
 */
export function withBlocks(text: string): ReactNode {
  if (!text.includes("█")) return text;
  return redactedPieces(text).map((piece, at) =>
    typeof piece === "string" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
      <span key={at}>{piece}</span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
      <RedactedBlock key={at} {...piece} />
    ),
  );
}

/** As wide as the text was, to 8 px. */
export function RedactedBlock({ kind, blocks }: { kind: RedactedKind; blocks: number }) {
  const t = useTranslations("share");
  return (
    <span
      role="img"
      aria-label={t("redacted", { kind: t(`findings.kinds.${kind}`) })}
      className="inline-block h-[.95em] max-w-full rounded-[1px] bg-ink align-[-.15em] [print-color-adjust:exact]"
      style={{ width: blocks * blockPx }}
    />
  );
}
