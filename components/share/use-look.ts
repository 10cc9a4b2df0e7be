"use client";

import { useEffect, useRef, useState } from "react";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { createShare } from "@/lib/client/settings/shares";
import type { ShareFinding } from "@/lib/protocol/share-policy";
import type { SharePolicy, ShareSnapshot } from "@/lib/protocol/shares";
import { askedOf, type Decisions } from "./share-findings";

export interface Look {
  /** What strangers would get. */
  preview: ShareSnapshot;
  /** What in it may be private. */
  findings: readonly ShareFinding[];
}

/**
 * What would be public, as the server sees it, with the name of its `author` if there is one; nothing is made. While another choice is looked at, the last look stays.
 * Undefined as long as there is none.
 */
export function useLook(
  conversationId: string,
  { policy, decisions, author }: { policy: SharePolicy | undefined; decisions: Decisions; author: string },
) {
  const errorText = useErrorText();
  const [look, setLook] = useState<Look>();
  const [busy, setBusy] = useState(true);
  const [failure, setFailure] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  const newest = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks for the same
  useEffect(() => {
    if (!policy) return;
    const own = ++newest.current;
    const isNewest = () => own === newest.current;
    setBusy(true);
    setFailure(undefined);
    createShare(conversationId, {
      dryRun: true,
      policy,
      ...(author !== "" && { author: true }),
      ...askedOf(decisions),
    })
      .then(
        (found) => isNewest() && setLook(found),
        (error) => isNewest() && setFailure(errorText(error)),
      )
      .finally(() => isNewest() && setBusy(false));
    return () => {
      newest.current++;
    };
  }, [conversationId, policy, decisions, author, errorText, attempt]);
  return { look, busy, failure, retry: () => setAttempt(attempt + 1) };
}
