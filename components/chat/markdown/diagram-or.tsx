"use client";

import { type ReactNode, useState } from "react";
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

/** A diagram where the code is one and is whole; the code in any other case. */
export function DiagramOr({ language, text, open, children }: DiagramOrProps) {
  const [isMissing, setMissing] = useState(false);
  const isNeeded = language === "mermaid" && !open && !isMissing && text.trim() !== "";
  const Diagram = useLatePart(diagram, isNeeded, () => setMissing(true));
  return Diagram ? <Diagram text={text}>{children}</Diagram> : children;
}
