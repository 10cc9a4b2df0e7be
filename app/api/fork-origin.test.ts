import { expect, test } from "vitest";
import { say } from "@/lib/providers/testing/steps";
import { openConversation } from "@/lib/server/conversations/open-conversation";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser } from "@/lib/server/ids";
import { ask, chat, detail, follow, forked, script, seqOf, twoCalls } from "./testing/fork";

test("a conversation says where its forks come from, with a message of that answer", async () => {
  const first = await twoCalls();
  const old = (await detail(first.conversationId)).messages;
  const seq = seqOf(first.chunks, "usage");
  const second = await forked(first.runId, { afterSeq: seq }, [say("Again.")]);
  const { runs } = await detail(first.conversationId);
  const origin = { runId: first.runId, seq, edit: null, messageId: old[1]?.id };
  expect(runs.map(({ id, forkedFrom }) => [id, forkedFrom])).toEqual([
    [first.runId, undefined],
    [second.runId, origin],
  ]);
  const opened = await openConversation(await getDeps(), localUser, first.conversationId);
  expect(opened?.detail.runs.at(-1)?.forkedFrom).toEqual(origin);

  // The first message of a fork is a copy: it is known by the last of its copies.
  const third = await forked(second.runId, { afterSeq: seqOf(second.chunks, "usage") });
  const forks = (await detail(first.conversationId)).runs.filter(({ id }) => id === third.runId);
  expect(forks[0]?.forkedFrom).toMatchObject({ runId: second.runId, messageId: expect.any(String) });
  expect(old.map(({ id }) => id)).not.toContain(forks[0]?.forkedFrom?.messageId);
});

test("a fork that ends with the words of a person is told of after the next question too", async () => {
  const first = await ask([say("Done.")]);
  const edit = { text: "By hand." };
  const second = await forked(first.runId, { afterSeq: seqOf(first.chunks, "usage"), edit });
  script.turns = [[say("Next.")]];
  const next = await chat({ conversationId: first.conversationId, message: { text: "And?" } });
  await follow(next.headers.get("x-run-id") ?? "");
  const { runs } = await detail(first.conversationId);
  expect(runs.find(({ id }) => id === second.runId)?.forkedFrom?.edit).toEqual({ part: "text" });
});
