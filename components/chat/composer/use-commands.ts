"use client";

import { useSyncExternalStore } from "react";
import { type Command, findCommands, snapshotCommands, subscribeToCommands } from "./commands";

const nothing = () => undefined;
const never = () => () => {};

/** What `/` and the typed text can mean; the lists are fetched with the first `/`. */
export function useCommands(
  typed: string | undefined,
  isUsed: (server: string) => boolean,
): readonly Command[] {
  useSyncExternalStore(typed === undefined ? never : subscribeToCommands, snapshotCommands, nothing);
  return typed === undefined ? [] : findCommands(typed, isUsed);
}
