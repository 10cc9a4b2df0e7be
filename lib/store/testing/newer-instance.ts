import { openStore } from "@/lib/store/open-store";
import type { LogEvent } from "@/lib/store/types";
import { conversation, message, run, text } from "./rows";

/** A line of a log, of a kind that this version does not know. */
export const newerLine = { type: "of_a_newer_version", thing: "b" };

/**
 * An instance of the next version: it begins a run of this person, whose log has such a line, asks another instance for something
 * that no version knows yet, and is gone when it resolves. Gives the ids of the run and of what it has asked.
 */
export async function comeAndGo(
  place: { dataDir: string; databaseUrl: string },
  { userId, askFor }: { userId: string; askFor: string },
): Promise<{ runId: string; commandId: string }> {
  const store = await openStore({ ...place, isShared: true });
  const [runId, conversationId] = ["r-newer", "c-newer"];
  const question = message("q-newer", null, { conversationId });
  await store.runs.begin(
    {
      ...run(runId, { conversationId, userId, messageId: "a-newer", parentId: question.id }),
      ...{ status: "running", endedAt: null },
    },
    { conversation: conversation({ id: conversationId, userId }), question },
  );
  const lines = [{ type: "iteration", index: 1 }, newerLine, text("Said.")];
  const events = lines.map((data, index) => ({ seq: index + 1, at: 1, data: data as LogEvent["data"] }));
  await store.log.append(runId, events, true);
  const commandId = "newer";
  await store.commands?.give({ id: commandId, runId: askFor, kind: "from_later", body: "null" });
  await store.close();
  return { runId, commandId };
}
