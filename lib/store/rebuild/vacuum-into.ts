import { once } from "node:events";
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { toStoreError } from "@/lib/store/sqlite-fault";

/** As text: a bundler knows no file of a thread. SQLite would hold the event loop, and the line about the progress. */
const source = `
  const { parentPort, workerData: { from, to } } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const db = new DatabaseSync(from);
  try {
    db.exec("pragma auto_vacuum = incremental");
    db.prepare("vacuum into ?").run(to);
    parentPort.postMessage({});
  } catch ({ message, errcode }) {
    parentPort.postMessage({ message, errcode });
  } finally {
    db.close();
  }
`;

interface Fault {
  message?: string;
  errcode?: number;
}

const tickMs = 1000;

/** Copies a database, with pages that can be given back, into an empty file; `onBytes` hears about each second how far it is. */
export async function vacuumInto(from: string, to: string, onBytes: (bytes: number) => void): Promise<void> {
  const worker = new Worker(source, { eval: true, workerData: { from, to } });
  const timer = setInterval(() => onBytes(statSync(to).size), tickMs);
  try {
    const ended = once(worker, "exit").then(() => [{ message: "The thread that copies has ended." }]);
    const [fault = {}] = (await Promise.race([once(worker, "message"), ended])) as Fault[];
    if (fault.message !== undefined)
      throw toStoreError(Object.assign(new Error(fault.message), { errcode: fault.errcode }), to);
  } finally {
    clearInterval(timer);
    await worker.terminate();
  }
}
