import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openStore } from "@/lib/store/open-store";
import type { LogSource } from "@/lib/store/ports";
import type { LogEvent } from "@/lib/store/types";
import { conversation, events, gatheredRunOf, maxGathered, message, runsOf, text } from "./rows";

// A process to be killed: stores messages and log events without end, and says of each when it is stored.
const [dataDir = "", round = ""] = process.argv.slice(2);
// Else what was compiled dies with it.
flushCompileCache();
const say = (line: string) => writeSync(1, `${line}\n`);

const store = await openStore({ dataDir, databaseUrl: process.env.DATABASE_URL });
if (!(await store.conversations.get("ann", "c1"))) await store.conversations.create(conversation());
say("ready");

async function writeMessages(): Promise<void> {
  let parentId = (await store.conversations.get("ann", "c1"))?.leafId ?? null;
  for (let count = 1; ; count++) {
    const id = `m${round}-${count}`;
    await store.messages.append("c1", [message(id, parentId)]);
    say(`message ${id}`);
    parentId = id;
    await new Promise(setImmediate);
  }
}

async function writeLog(run: string): Promise<void> {
  for (let seq = 1; ; seq++) {
    await store.log.append(run, [{ seq, at: seq, data: text("word ") }], seq % 7 === 0);
    say(`event ${run}`);
    await new Promise(setImmediate);
  }
}

/** As a live run writes: pieces gather until a commit begins, and are told of when it has ended. */
async function writeGathered(run: string): Promise<void> {
  let gathered = 0;
  let taken: LogEvent[] = [];
  let seq = 0;
  const source: LogSource = {
    runId: run,
    take: () => {
      taken = events(seq + 1, seq + gathered);
      gathered = 0;
      return taken;
    },
    stored: () => {
      seq += taken.length;
      for (const _ of taken) say(`event ${run}`);
      taken = [];
    },
    failed: (cause) => {
      throw cause;
    },
  };
  for (let count = 1; ; count++) {
    gathered = Math.min(gathered + 1, maxGathered);
    if (taken.length === 0) store.log.request(source, count % 50 === 0 ? "durable" : "soon");
    await new Promise(setImmediate);
  }
}

if (round !== "")
  await Promise.all([writeMessages(), ...runsOf(round).map(writeLog), writeGathered(gatheredRunOf(round))]);
else setInterval(() => {}, 1000);
