import { expect, test } from "vitest";
import { firstRun, outcomesOf, run, runEnd } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";

/** A store that tells how many commits something took. */
async function openCounted() {
  let commits = 0;
  const store = await openTempStore({
    onStatement: (sql) => {
      if (sql === "commit") commits++;
    },
  });
  const count = async (work: () => Promise<unknown>) => {
    const before = commits;
    await work();
    return commits - before;
  };
  return { store, count };
}

const names = ["a", "b", "c", "d", "e"];

test("runs that begin and end at once share a commit, and one alone has its own", async () => {
  const { store, count } = await openCounted();
  expect(await count(() => Promise.all(names.map((name) => store.runs.begin(...firstRun(name)))))).toBe(1);
  expect(await count(() => store.runs.begin(...firstRun("z")))).toBe(1);
  const end = { status: "completed" as const, endedAt: 9, result: runEnd(), iterations: [] };
  const ended = await count(() => Promise.all(names.map((name) => store.runs.finish(`r-${name}`, end, []))));
  expect(ended).toBe(1);
  for (const name of names) expect((await store.runs.get("ann", `r-${name}`))?.status).toBe("completed");
});

test("one that is refused changes nothing, and the others of its commit are stored", async () => {
  const { store } = await openCounted();
  const [, start] = firstRun("b");
  const stray = run("r-b", { conversationId: "c-b", continues: "nobody" });
  const works = [
    store.runs.begin(...firstRun("a")),
    // Its conversation and its question are stored before it is found that no run waits.
    store.runs.begin(stray, { ...start, waited: { answers: 0 } }),
    store.runs.begin(...firstRun("c")),
  ];
  expect(await outcomesOf(works)).toEqual(["stored", "not_found", "stored"]);
  expect(await store.conversations.get("ann", "c-b")).toBeUndefined();
  expect(await store.messages.get("c-b", "q-b")).toBeUndefined();
});

test("of two in one commit that want the same place the first gets it", async () => {
  const { store } = await openCounted();
  const [row, start] = firstRun("a");
  const works = [store.runs.begin(row, start), store.runs.begin({ ...row, id: "r-2" }, {})];
  expect(await outcomesOf(works)).toEqual(["stored", "conflict"]);
});

test("more than fit into one commit take several, in the order in which they came", async () => {
  const { store, count } = await openCounted();
  const many = Array.from({ length: 150 }, (_, at) => String(at).padStart(3, "0"));
  const done: string[] = [];
  const commits = await count(() =>
    Promise.all(many.map((name) => store.runs.begin(...firstRun(name)).then(() => done.push(name)))),
  );
  expect(commits).toBe(3);
  expect(done).toEqual(many);
});
