"use client";

import { useState } from "react";
import { type EditedArguments, useCallArguments } from "@/components/chat/cards/call-arguments";
import type { ForkPart } from "@/components/chat/turn/fork-context";
import { indentJson, onlyText } from "@/lib/client/run/read-json";
import type { LoopView, ToolView } from "@/lib/client/run/run-view";
import { useServers } from "@/lib/client/servers/servers";
import type { ForkEdit } from "@/lib/protocol/fork";

/** A text with what it was. */
export interface TextDraft {
  was: string;
  now: string;
  set(text: string): void;
}

export interface ForkDraft {
  result: TextDraft;
  text: TextDraft;
  args: EditedArguments;
  /** The result has more than text, which an edited one cannot hold. */
  leavesFiles: boolean;
  isBroken(part: ForkPart): boolean;
  /** Absent where nothing was changed. */
  editOf(part: ForkPart): ForkEdit | undefined;
}

/** What a person has typed in each of the parts; only the one that is shown counts. */
export function useForkDraft(loop: LoopView, call: ToolView | null): ForkDraft {
  const content = call?.result?.content ?? [];
  const result = useText(indentJson(onlyText(content)));
  const text = useText(loop.items.map((item) => (item.kind === "text" ? item.text : "")).join(""));
  const args = useCallArguments(call?.args ?? none, useSchemaOf(call));
  return {
    ...{ result, text, args },
    leavesFiles: content.some(({ type }) => type !== "text"),
    isBroken: (part) => part === "args" && args.isBroken,
    editOf(part) {
      if (part === "text") {
        const words = text.now.trim();
        return words !== "" && words !== text.was.trim() ? { text: words } : undefined;
      }
      if (!call) return undefined;
      const { id: callId } = call;
      if (part === "args") return args.changed ? { callId, args: args.value } : undefined;
      if (result.now === result.was) return undefined;
      const status = call.result?.status === "error" ? "error" : "ok";
      return { callId, result: { status, content: [{ type: "text", text: result.now }] } };
    },
  };
}

const none = {};

function useText(was: string): TextDraft {
  const [first] = useState(was);
  const [now, set] = useState(was);
  return { was: first, now, set };
}

/** What the server says of the arguments, where it is connected. */
function useSchemaOf(call: ToolView | null): Record<string, unknown> | undefined {
  const { data } = useServers();
  const server = data?.items.find(({ name }) => name === call?.call.server);
  return server?.tools.find(({ qualifiedName }) => qualifiedName === call?.call.name)?.inputSchema;
}
