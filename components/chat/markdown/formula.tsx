"use client";

import "katex/dist/katex.min.css";
import "katex/contrib/copy-tex";
import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { drawFormula, type FormulaProps } from "./draw-formula";

/** A formula as KaTeX sets it, for readers as MathML; one that cannot be set is its source with the reason. */
export default function Formula({ tex, isBlock }: FormulaProps) {
  const t = useTranslations("chat.math");
  const drawn = useMemo(() => drawFormula(tex, isBlock), [tex, isBlock]);
  if ("html" in drawn)
    // biome-ignore lint/security/noDangerouslySetInnerHtml: KaTeX escapes what it is given, and `trust` is off
    return <span dangerouslySetInnerHTML={{ __html: drawn.html }} />;
  const why = t("failed", { why: drawn.why });
  return (
    <>
      <code title={isBlock ? undefined : why}>{tex}</code>
      {isBlock ? (
        <span className="meta block text-left">{why}</span>
      ) : (
        <span className="sr-only"> ({why})</span>
      )}
    </>
  );
}
