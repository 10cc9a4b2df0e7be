"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import type { Command } from "./commands";

type Late = typeof import("./commands");

const nothing = () => undefined;
const never = () => () => {};

/** What `/` and the typed text can mean; the lists and what goes through them are fetched with the first `/`. */
export function useCommands(
  typed: string | undefined,
  isUsed: (server: string) => boolean,
): readonly Command[] {
  const [late, setLate] = useState<Late | null>(null);
  const isWanted = typed !== undefined;
  useEffect(() => {
    // One that cannot be fetched is asked for again with the next `/`.
    if (isWanted && !late) import("./commands").then(setLate, () => {});
  }, [isWanted, late]);
  useSyncExternalStore(
    isWanted && late ? late.subscribeToCommands : never,
    late ? late.snapshotCommands : nothing,
    nothing,
  );
  return isWanted && late ? late.findCommands(typed, isUsed) : [];
}
