"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { latePart, useLatePart } from "@/components/ui/late-part";
import type { DiagramProps } from "./diagram";

const diagram = latePart<DiagramProps>(() => import("./diagram"));

export interface DiagramOrProps {
  language: string | undefined;
  text: string;
  /** It is being written. */
  open: boolean;
  children: ReactNode;
}

/** A diagram where the code is one and is whole; the code in any other case, and why where what draws it is missing. */
export function DiagramOr({ language, text, open, children }: DiagramOrProps) {
  const t = useTranslations("chat.diagram");
  const [isMissing, setMissing] = useState(false);
  const isNeeded = language === "mermaid" && !open && !isMissing && text.trim() !== "";
  const Diagram = useLatePart(diagram, isNeeded, () => setMissing(true));
  if (Diagram) return <Diagram text={text}>{children}</Diagram>;
  if (!isMissing) return children;
  return (
    <div>
      {children}
      <p className="meta" role="status">
        {t("notLoaded")}
      </p>
    </div>
  );
}
