import { writeSync } from "node:fs";
import { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { openStore } from "@/lib/store/open-store";

// A process to be killed: takes in a file without end, and says of each megabyte when more is asked for.
const [dataDir = ""] = process.argv.slice(2);
const store = await openStore({ dataDir, databaseUrl: process.env.DATABASE_URL });
if (!store.blobs) throw new Error("DATABASE_URL is not set.");
const files = AttachmentFiles.inDatabase(store.blobs, dataDir, async () => 1);

async function* endless(): AsyncGenerator<Uint8Array, void> {
  const megabyte = new Uint8Array(1024 * 1024);
  for (;;) {
    yield megabyte;
    writeSync(1, "megabyte\n");
  }
}

writeSync(1, "ready\n");
await files.receive("cut", endless());
