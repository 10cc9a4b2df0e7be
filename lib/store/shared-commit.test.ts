import { expect, test } from "vitest";
import { conversation, message, run, runEnd } from "./testing/rows";
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

/** A first question and its run, in a conversation of their own. */
const first = (name: string) => {
  const conversationId = `c-${name}`;
  const question = message(`q-${name}`, null, { conversationId });
  const row = run(`r-${name}`, { conversationId, messageId: question.id, parentId: question.id });
  return [row, { conversation: conversation({ id: conversationId }), question }] as const;
};

const names = ["a", "b", "c", "d", "e"];
const outcomes = async (works: readonly Promise<void>[]) =>
  (await Promise.allSettled(works)).map((each) =>
    each.status === "fulfilled" ? "stored" : each.reason.code,
  );

test("runs that begin and end at once share a commit, and one alone has its own", async () => {
  const { store, count } = await openCounted();
  expect(await count(() => Promise.all(names.map((name) => store.runs.begin(...first(name)))))).toBe(1);
  expect(await count(() => store.runs.begin(...first("z")))).toBe(1);
  const end = { status: "completed" as const, endedAt: 9, result: runEnd(), iterations: [] };
  const ended = await count(() => Promise.all(names.map((name) => store.runs.finish(`r-${name}`, end, []))));
  expect(ended).toBe(1);
  for (const name of names) expect((await store.runs.get("ann", `r-${name}`))?.status).toBe("completed");
});

test("one that is refused changes nothing, and the others of its commit are stored", async () => {
  const { store } = await openCounted();
  const [, start] = first("b");
  const stray = run("r-b", { conversationId: "c-b", continues: "nobody" });
  const works = [
    store.runs.begin(...first("a")),
    // Its conversation and its question are stored before it is found that no run waits.
    store.runs.begin(stray, { ...start, waited: { answers: 0 } }),
    store.runs.begin(...first("c")),
  ];
  expect(await outcomes(works)).toEqual(["stored", "not_found", "stored"]);
  expect(await store.conversations.get("ann", "c-b")).toBeUndefined();
  expect(await store.messages.get("c-b", "q-b")).toBeUndefined();
});

test("of two in one commit that want the same place the first gets it", async () => {
  const { store } = await openCounted();
  const [row, start] = first("a");
  const works = [store.runs.begin(row, start), store.runs.begin({ ...row, id: "r-2" }, {})];
  expect(await outcomes(works)).toEqual(["stored", "conflict"]);
});

test("more than fit into one commit take several, in the order in which they came", async () => {
  const { store, count } = await openCounted();
  const many = Array.from({ length: 150 }, (_, at) => String(at).padStart(3, "0"));
  const done: string[] = [];
  const commits = await count(() =>
    Promise.all(many.map((name) => store.runs.begin(...first(name)).then(() => done.push(name)))),
  );
  expect(commits).toBe(3);
  expect(done).toEqual(many);
});
