import type { FileDeps } from "@/lib/server/attachments/attachments";
import { ConversationWriter } from "@/lib/server/transfer/conversation-writer";
import type { ImportedConversation } from "@/lib/server/transfer/imported";
import type { WriteResult } from "@/lib/server/transfer/prepare-conversation";

/** What has become of each of these, as an import of all of them tells it. */
export async function writeAll(
  deps: FileDeps,
  userId: string,
  all: readonly ImportedConversation[],
): Promise<WriteResult[]> {
  const results: WriteResult[] = [];
  const writer = new ConversationWriter(deps, userId, (_, result) => void results.push(result));
  for (const one of all) await writer.add(one);
  await writer.flush();
  return results;
}

export async function writeConversation(
  deps: FileDeps,
  userId: string,
  imported: ImportedConversation,
): Promise<WriteResult> {
  const [result] = await writeAll(deps, userId, [imported]);
  if (!result) throw new Error("Nothing was said of it.");
  return result;
}
