import { statSync } from "node:fs";
import { runInThread } from "@/lib/store/run-in-thread";
import { toStoreError } from "@/lib/store/sqlite-fault";

const program = `
  const { parentPort, workerData: { from, to } } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const db = new DatabaseSync(from);
  try {
    db.exec("pragma auto_vacuum = incremental");
    db.prepare("vacuum into ?").run(to);
  } finally {
    db.close();
  }
  parentPort.postMessage("done");
`;

const tickMs = 1000;

/** Copies a database, with pages that can be given back, into an empty file; `onBytes` hears about each second how far it is. */
export async function vacuumInto(from: string, to: string, onBytes: (bytes: number) => void): Promise<void> {
  const timer = setInterval(() => onBytes(statSync(to).size), tickMs);
  try {
    await runInThread(program, { from, to });
  } catch (cause) {
    throw toStoreError(cause, to);
  } finally {
    clearInterval(timer);
  }
}
