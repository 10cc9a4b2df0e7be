import { setTimeout as wait } from "node:timers/promises";

const port = 9229; // of Node, for a process that is told by a signal to open its inspector
const waits = 100;

/** What the JavaScript of a process of Node holds after a collection, in MB. */
export async function serverHeapMb(pid: number): Promise<number> {
  process.kill(pid, "SIGUSR1");
  const socket = new WebSocket(await inspectorOf());
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("The inspector does not answer."));
  });
  const ask = (id: number, method: string) =>
    new Promise<{ usedSize?: number }>((resolve) => {
      socket.onmessage = ({ data }) => {
        const { id: of, result } = JSON.parse(String(data));
        if (of === id) resolve(result);
      };
      socket.send(JSON.stringify({ id, method }));
    });
  // What a finalizer frees is collected by the next one.
  for (let id = 1; id <= 3; id++) await ask(id, "HeapProfiler.collectGarbage");
  const { usedSize = Number.NaN } = await ask(4, "Runtime.getHeapUsage");
  socket.close();
  return usedSize / 1e6;
}

async function inspectorOf(): Promise<string> {
  for (let count = 0; count < waits; count++) {
    const targets = await fetch(`http://127.0.0.1:${port}/json/list`)
      .then((answer) => answer.json() as Promise<{ webSocketDebuggerUrl: string }[]>)
      .catch(() => []);
    if (targets[0]) return targets[0].webSocketDebuggerUrl;
    await wait(50);
  }
  throw new Error(`No inspector at port ${port}.`);
}
