"use client";

import { type ComponentProps, useLayoutEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { latePart, useLatePart } from "@/components/ui/late-part";
import type { FormulaProps } from "./draw-formula";
import { unfinished } from "./math-syntax";

const formula = latePart<FormulaProps>(() => import("./formula"));

type SpanProps = ComponentProps<"span"> & { node?: unknown; "data-math"?: string | undefined };

/** A formula as react-markdown gives it; any other span as it is. */
export function MathSpan({ node: _, "data-math": kind, children, ...rest }: SpanProps) {
  if (kind === undefined || typeof children !== "string") return <span {...rest}>{children}</span>;
  return <MathPart text={children} isBlock={kind === "block"} />;
}

/** The source as code until it is complete and what draws it has come; then the formula, never lower than its source was. */
function MathPart({ text, isBlock }: { text: string; isBlock: boolean }) {
  const t = useTranslations("chat.math");
  const [isMissing, setMissing] = useState(false);
  const isOpen = text.endsWith(unfinished);
  const tex = isOpen ? text.slice(0, -1) : text;
  const Formula = useLatePart(formula, !isOpen && !isMissing, () => setMissing(true));
  const frame = useRef<HTMLSpanElement>(null);
  const floor = useRef(0);
  const [minHeight, setMinHeight] = useState(0);
  useLayoutEffect(() => {
    if (Formula) setMinHeight(floor.current);
    else floor.current = frame.current?.offsetHeight ?? 0;
  });
  const shown = Formula ? <Formula tex={tex} isBlock={isBlock} /> : <code>{tex}</code>;
  if (!isBlock) return <span data-tex={tex}>{shown}</span>;
  return (
    <span ref={frame} data-frame="" className="relative block py-3 rule-y" style={{ minHeight }}>
      <span className="absolute top-1 right-0 z-1 flex bg-paper">
        <CopyButton label={t("copy")} text={() => tex} />
      </span>
      <span
        data-math-scroll=""
        className="more-beside block overflow-x-auto px-8 text-center [scrollbar-width:thin] [&>code]:block [&>code]:text-left [&>code]:whitespace-pre-wrap"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
      >
        {shown}
      </span>
      {isMissing && <span className="meta block">{t("notLoaded")}</span>}
    </span>
  );
}
