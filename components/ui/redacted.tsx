import { useTranslations } from "use-intl";
import { blockPx, redactedPieces } from "@/lib/protocol/redacted-text";
import type { RedactedKind } from "@/lib/protocol/share-policy";

/** A text of which what was redacted is a block of ink. */
export function Redacted({ text }: { text: string }) {
  if (!text.includes("█")) return text;
  return redactedPieces(text).map((piece, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
    typeof piece === "string" ? piece : <RedactedBlock key={at} {...piece} />,
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
