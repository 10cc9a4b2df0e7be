import { afterAll, beforeAll, expect, test } from "vitest";
import { readChain, readLogs } from "@/lib/client/run/read-chain";
import { RunSteps } from "@/lib/client/run/run-steps";
import { callTools, say } from "@/lib/providers/testing/steps";
import { callApi } from "./testing/call-api";
import { answer, ask, follow, script, write } from "./testing/fork";

/* What the page of a run reads: the runs that are one answer, and their logs. */

const { signal } = new AbortController();
const realFetch = globalThis.fetch;
const asked: string[] = [];
beforeAll(() => {
  // In a browser the page's own address stands before every path.
  globalThis.fetch = (path, init) => {
    asked.push(String(path));
    return callApi(init?.method ?? "GET", String(path), init?.body ?? undefined);
  };
});
afterAll(() => {
  globalThis.fetch = realFetch;
});

/** An answer that has waited for a yes as often; the ids of its runs. */
async function waited(times: number): Promise<string[]> {
  // The same call again and again would be asked about as such.
  const writes = (time: number) => callTools({ ...write, args: { ...write.args, content: `${time}` } });
  const ids = [(await ask([writes(0)])).runId];
  for (let time = 1; time <= times; time++) {
    script.turns = [time < times ? [writes(time)] : [say("Written.")]];
    ids.push((await follow(await answer(ids.at(-1) ?? "", "approve"))).runId);
  }
  return ids;
}

test("the runs of an answer are found from any of them, by as many requests for four times as many", async () => {
  const [some, more] = [await waited(2), await waited(8)];
  for (const ids of [some, more])
    for (const from of [ids[0], ids[1], ids.at(-1)]) {
      asked.length = 0;
      const chain = await readChain(from ?? "", signal);
      expect(chain.map(({ id }) => id)).toEqual(ids);
      expect(chain[0]).toMatchObject({ question: "Look", answerId: expect.any(String) });
      expect(asked.length).toBeLessThanOrEqual(3);
    }
  expect((await readChain(some[0] ?? "", signal)).at(-1)?.status).toBe("completed");
});

test("their logs come in order, however soon each is there, and one that cannot be read is left to its stream", async () => {
  const ids = await waited(6);
  const steps = new RunSteps();
  const open = new Set<string>();
  let most = 0;
  const api = globalThis.fetch;
  globalThis.fetch = async (path, init) => {
    const name = String(path);
    open.add(name);
    most = Math.max(most, open.size);
    const response = await api(path, init);
    // The first ones take longest.
    for (let turn = 0; turn < 40 - 5 * ids.findIndex((id) => name.includes(id)); turn++)
      await new Promise(setImmediate);
    open.delete(name);
    return name.includes(ids[2] ?? "?") ? new Response("{}", { status: 500 }) : response;
  };
  const read: string[] = [];
  const runs = ids.map((id) => ({ id, status: "completed" }) as const);
  let at = 0;
  for await (const log of readLogs(runs, signal)) {
    const id = ids[at++] ?? "";
    steps.begin(id);
    for (const chunk of log?.chunks ?? []) steps.add(chunk);
    read.push(log ? id : "none");
  }
  globalThis.fetch = api;
  expect(read).toEqual(ids.map((id, index) => (index === 2 ? "none" : id)));
  expect([most > 1, most <= 4]).toEqual([true, true]);
  expect(steps.loops()).toHaveLength(6);
  expect(steps.view.loops.at(-1)?.items.at(-1)).toMatchObject({ text: "Written." });
});

test("a log that came before its run had ended is read again, and one of a run that goes on is not", async () => {
  const [id = ""] = await waited(1);
  const { value: whole } = await readLogs([{ id, status: "completed" }], signal).next();
  if (!whole) throw new Error("There is no log.");
  const begun = { chunks: whole.chunks.slice(0, 2), seq: 2 };
  const read = async (status: "completed" | "running", log = begun) => {
    const early = { id, log: Promise.resolve(log) };
    return (await readLogs([{ id, status }], signal, early).next()).value;
  };
  expect(await read("completed")).toEqual(whole);
  expect(await read("running")).toBe(begun);
  expect(await read("completed", whole)).toBe(whole);
});
