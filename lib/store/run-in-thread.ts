import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * What a program posts that would hold the event loop here; it finds `data` in `workerData`. Rejects with what it throws
 * or why `signal` was aborted. It comes as text: a bundler knows no file of a thread.
 */
export async function runInThread<Result>(
  program: string,
  data: unknown,
  signal = new AbortController().signal,
): Promise<Result> {
  const worker = new Worker(program, { eval: true, workerData: data });
  const ended = once(worker, "exit").then(() => {
    throw new Error("The thread has ended without a result.");
  });
  try {
    const [result] = await Promise.race([once(worker, "message", { signal }), ended]);
    return result;
  } finally {
    await worker.terminate();
  }
}
