"use client";

import { useCallback, useEffect, useState } from "react";
import { readChoice, writeChoice } from "@/lib/client/conversation/drafts";
import type { SayHow } from "@/lib/client/conversation/queue-lines";
import type { QueuedWhen } from "@/lib/protocol/http";

export interface Say {
  how: SayHow;
  /** What was chosen last, apart from to stop. */
  remembered: QueuedWhen;
  choose(how: SayHow): void;
}

/** How the next message goes out; the last choice of a conversation is remembered, except to stop. */
export function useSay(id: string | null): Say {
  const [how, setHow] = useState<SayHow>("after");
  const [remembered, setRemembered] = useState<QueuedWhen>("after");
  const choose = useCallback(
    (next: SayHow) => {
      setHow(next);
      if (next === "stop") return;
      setRemembered(next);
      if (id !== null) remember(id, next === "next_turn");
    },
    [id],
  );
  useEffect(() => {
    const known = isSteered(id) ? "next_turn" : "after";
    setHow(known);
    setRemembered(known);
  }, [id]);
  return { how, remembered, choose };
}

const name = "steered";
const maxRemembered = 50;

const readIds = () => (readChoice(name) ?? "").split(" ").filter(Boolean);

const isSteered = (id: string | null) => id !== null && readIds().includes(id);

function remember(id: string, steers: boolean): void {
  const others = readIds().filter((each) => each !== id);
  const ids = (steers ? [...others, id] : others).slice(-maxRemembered);
  writeChoice(name, ids.length > 0 ? ids.join(" ") : null);
}
