import type { RunFollower } from "@/lib/client/run/run-follower";
import type { MessageQueue } from "./message-queue";
import type { StoredTurns } from "./stored-turns";

export interface RunCode {
  RunFollower: typeof RunFollower;
  StoredTurns: typeof StoredTurns;
  MessageQueue: typeof MessageQueue;
}

/** What reads runs and stored messages: nothing of a new conversation needs it before its first message is sent. */
export async function loadRunCode(): Promise<RunCode> {
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
