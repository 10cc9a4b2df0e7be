import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openStore } from "@/lib/store/open-store";
import { conversation, endedLog, run, runEnd } from "./rows";

// A process to be killed: writes logs of runs, ends them, and packs them meanwhile. Says which logs are stored whole.
const [dataDir = "", round = ""] = process.argv.slice(2);
// Else what was compiled dies with it.
flushCompileCache();
const say = (line: string) => writeSync(1, `${line}\n`);

const packer = { delayMs: 0, retryMs: 10 };
const store = await openStore({ dataDir, databaseUrl: process.env.DATABASE_URL, packer });
if (!(await store.conversations.get("ann", "c1"))) await store.conversations.create(conversation());
say("ready");

for (let count = 1; ; count++) {
  const id = `r${round}-${count}`;
  await store.runs.create(run(id, { parentId: id, messageId: id }));
  const log = endedLog(1 + ((count * 997) % 12_000));
  for (let at = 0; at < log.length; at += 500) await store.log.append(id, log.slice(at, at + 500), false);
  say(`log ${id} ${log.length}`);
  await store.runs.finish(id, { status: "completed", endedAt: 9000, result: runEnd(), iterations: [] }, []);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
