import { describe, expect, test } from "vitest";
import type { ListedRun } from "@/lib/protocol/http";
import { callTools, say } from "@/lib/providers/testing/steps";
import { callApi, readStream } from "./testing/call-api";
import { ask, chat, forked, run, script, seqOf, twoCalls, write } from "./testing/fork";

const get = async (query = "") => {
  const response = await callApi("GET", `/api/runs${query}`);
  return { status: response.status, ...(await response.json()) };
};
const listed = async (query = ""): Promise<ListedRun[]> => {
  const { status, items, error } = await get(query);
  expect([status, error]).toEqual([200, undefined]);
  return items;
};

test("runs are listed newest first, as each is told of by itself and without its loops", async () => {
  const first = await twoCalls();
  const second = await forked(first.runId, { afterSeq: seqOf(first.chunks, "usage") }, [say("Again.")]);
  const items = await listed(`?conversation=${first.conversationId}`);
  expect(items.map(({ id }) => id)).toEqual([second.runId, first.runId]);
  for (const item of items) {
    const {
      iterations: _,
      answeredCalls: _calls,
      answerId: _answer,
      plan: _plan,
      ...told
    } = await run(item.id);
    expect(item).toEqual(told);
  }
  expect(items[1]).toMatchObject({ question: "Look", forks: [{ runId: second.runId }] });
  expect((await listed("?limit=1")).map(({ id }) => id)).toEqual([second.runId]);
});

test("a run that waits is found by its status, with what it asks, until its conversation is deleted", async () => {
  const waits = await ask([callTools(write)]);
  const [item] = await listed("?status=waiting");
  expect(item).toMatchObject({ id: waits.runId, pending: [{ type: "approval_request" }] });
  expect(await listed("?status=waiting&kind=workflow")).toEqual([]);
  const { status } = await callApi("DELETE", `/api/conversations/${waits.conversationId}`);
  expect(status).toBe(200);
  expect(await listed("?status=waiting")).toEqual([]);
  expect(await listed(`?conversation=${waits.conversationId}`)).toEqual([]);
});

describe("what a list is asked for", () => {
  test.for([
    ["status=done", "status"],
    ["kind=hook", "kind"],
    ["conversation=", "conversation"],
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["limit=many", "limit"],
    ["cursor=x", "cursor"],
    ["user=ann", "user"],
  ])("%s is refused by its name", async ([query, field]) => {
    const { status, error } = await get(`?${query}`);
    expect([status, error.code]).toEqual([400, "invalid_input"]);
    expect(error.message.startsWith(`${field}: `)).toBe(true);
  });

  test("an unknown conversation has none", async () => {
    expect(await listed("?conversation=0199aaaa-0000-7000-8000-000000000000")).toEqual([]);
  });
});

test("a temporary chat is in no list, and its own runs are listed where it is named", async () => {
  const kept = await ask([say("Kept.")]);
  script.turns = [[say("Gone.")]];
  const temporary = await readStream(await chat({ message: { text: "Psst" }, temporary: true }));
  expect((await listed())[0]?.id).toBe(kept.runId);
  expect(await listed(`?conversation=${temporary.conversationId}`)).toMatchObject([
    { id: temporary.runId, question: "Psst" },
  ]);
});
