import type { RunFollower } from "@/lib/client/run/run-follower";
import type { StoredTurns } from "./stored-turns";

export interface RunCode {
  RunFollower: typeof RunFollower;
  StoredTurns: typeof StoredTurns;
}

/** What reads runs and stored messages: nothing of a new conversation needs it before its first message is sent. */
export async function loadRunCode(): Promise<RunCode> {
  const [follower, stored] = await Promise.all([
    import("@/lib/client/run/run-follower"),
    import("./stored-turns"),
  ]);
  return { RunFollower: follower.RunFollower, StoredTurns: stored.StoredTurns };
}
