"use client";

import { useState } from "react";
import { latePart, useLatePart } from "@/components/ui/late-part";
import type { McpPromptItem, McpResourceItem } from "@/lib/protocol/mcp-offers";
import type { Prompt } from "@/lib/protocol/prompts";
import type { LibraryPanelProps, Picked } from "./library-panel";

const libraryPanel = latePart<LibraryPanelProps>(() => import("./library-panel"));

export interface LibraryTargets {
  /** Puts the text of a prompt before what is written. */
  insert(text: string): void;
  attach(files: readonly File[]): void;
  focus(): void;
}

/** Prompts that are put into the message field and resources that are attached; `panel` asks for what they need. */
export function useLibrary({ insert, attach, focus }: LibraryTargets) {
  const [picked, setPicked] = useState<{ what: Picked; round: number } | null>(null);
  const LibraryPanel = useLatePart(libraryPanel, picked !== null);
  const pick = (what: Picked) => setPicked((before) => ({ what, round: (before?.round ?? 0) + 1 }));
  return {
    openPrompt: (prompt: McpPromptItem) => pick({ kind: "prompt", prompt }),
    openOwnPrompt: (prompt: Prompt) => {
      if (prompt.variables.length > 0) return pick({ kind: "own", prompt });
      insert(prompt.text);
      focus();
    },
    openResource: (resource: McpResourceItem, isTemplate: boolean) =>
      pick({ kind: isTemplate ? "template" : "resource", resource }),
    panel: picked && LibraryPanel && (
      <LibraryPanel
        key={picked.round}
        picked={picked.what}
        insert={insert}
        attach={attach}
        onClose={() => {
          setPicked(null);
          focus();
        }}
      />
    ),
  };
}
