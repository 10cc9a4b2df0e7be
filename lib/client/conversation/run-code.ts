import type { RunFollower } from "@/lib/client/run/run-follower";
import type { MessageQueue } from "./message-queue";
import type { StoredTurns } from "./stored-turns";

export interface RunCode {
  RunFollower: typeof RunFollower;
  StoredTurns: typeof StoredTurns;
  MessageQueue: typeof MessageQueue;
}

let brought: RunCode | undefined;

/** For a page whose first view needs it: there it comes with the page, and not after it. */
export function bringRunCode(code: RunCode): void {
  brought = code;
}

/** What came with the page, if it did. */
export const broughtRunCode = (): RunCode | undefined => brought;

/** What reads runs and stored messages: nothing of a new conversation needs it before its first message is sent. */
export async function loadRunCode(): Promise<RunCode> {
  if (brought) return brought;
  const [follower, stored, queue] = await Promise.all([
    import("@/lib/client/run/run-follower"),
    import("./stored-turns"),
    import("./message-queue"),
  ]);
  return {
    RunFollower: follower.RunFollower,
    StoredTurns: stored.StoredTurns,
    MessageQueue: queue.MessageQueue,
  };
}
