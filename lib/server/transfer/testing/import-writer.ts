import { writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { ConversationWriter } from "@/lib/server/transfer/conversation-writer";
import { openStore } from "@/lib/store/open-store";
import { smallConversations } from "./small-conversations";

// A process to be killed: imports so many conversations and says of each when it is stored.
const [dataDir = "", count = ""] = process.argv.slice(2);
const store = await openStore({ dataDir });
const deps = { store, files: AttachmentFiles.inFolder(join(dataDir, "attachments"), async () => 1_000_000) };
const writer = new ConversationWriter(deps, "ann", ({ sourceId }, { outcome }) =>
  writeSync(1, `${outcome} ${sourceId}\n`),
);
writeSync(1, "ready\n");

for (const conversation of smallConversations(Number(count))) {
  await writer.add(conversation);
  await nextTurn();
}
await writer.flush();
writeSync(1, "done\n");
setInterval(() => {}, 1000);
