"use client";

import { useEffect, useEffectEvent, useState } from "react";
import type { AskedAgent } from "@/lib/client/conversation/chat-request";
import { keepWhileSending } from "@/lib/client/conversation/drafts";
import type { SayHow } from "@/lib/client/conversation/queue-lines";
import type { StoredFile } from "@/lib/protocol/message";
import type { useAgentState } from "./use-agent-state";
import type { Attachments } from "./use-attachments";
import type { SetText } from "./use-draft";
import type { Say } from "./use-say";
import type { Suggesting } from "./use-suggesting";

/** What is written, and where it goes. */
export interface Submitting {
  /** Where its draft is kept. */
  place: string | null;
  text: string;
  setText: SetText;
  agent: string | null;
  setAgent(agent: string | null): void;
  files: Pick<Attachments, "items" | "ready" | "take" | "putBack">;
  suggestions: Pick<Suggesting, "read">;
  begins: Pick<ReturnType<typeof useAgentState>, "take" | "clear">;
  say: Say;
  /** An answer is written or waits. */
  goesOn: boolean;
  /** Several have answered, and none is chosen yet. */
  mustChoose: boolean;
  putBackText(text: string): void;
  focus(): void;
  /** Resolves to whether the server has the message. */
  onSend(text: string, files: readonly StoredFile[], asked: AskedAgent): Promise<boolean>;
  /** The same while an answer is written or waits. */
  onSay(how: SayHow, text: string, files: readonly StoredFile[]): Promise<boolean>;
}

export interface Submit {
  /** `how`: while an answer goes on. */
  submit(how: SayHow | null): Promise<void>;
  /** Nothing was sent: an agent is asked only when no answer goes on any more. */
  agentTooEarly: boolean;
  /** It goes as soon as the files are uploaded, unless something is changed before. */
  isHeld: boolean;
}

/** Sends what is written; what the server does not take, or what lacks something, is in the field again. */
export function useSubmit({ place, text, setText, agent, setAgent, ...rest }: Submitting): Submit {
  const { files, suggestions, begins, say, goesOn, mustChoose, putBackText, focus, onSend, onSay } = rest;
  const [agentTooEarly, setAgentTooEarly] = useState(false);
  if (agentTooEarly && !(goesOn && agent !== null)) setAgentTooEarly(false);
  const [held, setHeld] = useState<{ written: string; how: SayHow | null } | null>(null);
  // Another conversation, another word, a file that was added, taken away or refused: what was asked for is not there any more.
  const written = () => JSON.stringify([place, text, files.items.map(({ key, failure }) => [key, failure])]);
  if (held && held.written !== written()) setHeld(null);
  const submit = async (how: SayHow | null) => {
    const message = text.trim();
    if ((message === "" && files.items.length === 0) || mustChoose) return;
    if (!files.ready) {
      setHeld({ written: written(), how });
      return;
    }
    const read = suggestions.read(message);
    if (!read) return;
    const asked = read.agent ?? agent;
    // What waits is asked with what the conversation uses.
    const isTooEarly = how !== null && asked !== null;
    const state = how === null ? begins.take(asked) : undefined;
    if (isTooEarly || state === "missing") {
      setAgent(asked);
      setText(read.text);
      setAgentTooEarly(isTooEarly);
      return;
    }
    const attached = files.take();
    setText("");
    const release = keepWhileSending(place, message);
    setAgent(null);
    const sent =
      how === null
        ? onSend(read.text, attached, { agent: asked, ...(state && { state }) })
        : onSay(how, read.text, attached);
    if (how !== null) say.choose(how === "stop" ? say.remembered : how);
    // What was typed meanwhile comes after what could not be sent.
    const isThere = await sent.finally(release);
    if (isThere) begins.clear();
    else {
      setAgent(asked);
      putBackText(message);
      files.putBack(attached);
    }
    // Whoever has queued it may be elsewhere by now.
    if (how === null) focus();
  };
  const sendHeld = useEffectEvent(() => {
    if (!held) return;
    setHeld(null);
    // The answer that it was said to may have ended.
    void submit(goesOn ? (held.how ?? say.how) : null);
  });
  useEffect(() => {
    if (files.ready) sendHeld();
  }, [files.ready]);
  return { submit, agentTooEarly, isHeld: held !== null };
}
