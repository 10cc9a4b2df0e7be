"use client";

import { type ReactNode, useContext } from "react";
import { useTranslations } from "use-intl";
import type { ToolView } from "@/lib/client/run/run-view";
import { ForkPlacement, TurnForkContext } from "./fork-context";

interface ForkOfCall {
  begin: (() => void) | undefined;
  isOpen: boolean;
  /** Where it is edited, while that is open. */
  panel: ReactNode;
  /** The few words at the right of the line, with what the fork says of them. */
  said(note: string): string;
}

/** What a line says and does as a place where the answer is, or was, forked. */
export function useForkOfCall(item: ToolView, loop: number, kept: boolean): ForkOfCall {
  const t = useTranslations("chat.fork");
  const { fork, at, begin } = useContext(TurnForkContext);
  const panel = useContext(ForkPlacement);
  const isOpen = at?.call === item.id;
  const edit = fork?.from.edit;
  const isEdited = edit?.part === "result" && edit.callId === item.id;
  return {
    begin: begin && (() => begin({ loop, call: item.id, part: item.result ? "result" : "args" })),
    isOpen,
    panel: isOpen ? panel : null,
    said(note) {
      if (isOpen) return t("here");
      if (isEdited) return note ? t("editedWith", { note }) : t("edited");
      if (!kept) return note;
      return note ? t("keptWith", { note }) : t("kept");
    },
  };
}
