import { beforeEach, describe, expect, test } from "vitest";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import type { Store } from "./ports";
import { chain, conversation, message } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";
import type { MessageRow } from "./types";

let store: Store;
beforeEach(async () => {
  store = await openTempStore();
  await store.conversations.create(conversation());
});

const ids = (rows: readonly MessageRow[]) => rows.map(({ id }) => id).join(" ");
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `m${String(n).padStart(5, "0")}`);

describe("append", () => {
  test("stores every kind of message as it was, and moves the leaf and the time along", async () => {
    const id = "call-1" as ToolCallId;
    const all: ChatMessage[] = [
      { role: "user", parts: [{ type: "file", mediaType: "image/png", data: "AAAA", name: "花.png" }] },
      { role: "summary", text: "so far", keep: 2 },
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "hm", signature: "s1" },
          { type: "text", text: "天気 \u0000 \ud83c\udf38" },
          { type: "tool_call", id, name: "a__b", args: { deep: [{ x: null }] } },
        ],
      },
      {
        role: "tool",
        results: [
          {
            id,
            status: "ok",
            content: [{ type: "resource_link", uri: "x:1", name: "x" }],
            structured: { n: 1.5 },
          },
        ],
      },
    ];
    const rows = all.map((each, index) =>
      message(`m${index}`, index === 0 ? null : `m${index - 1}`, {
        message: each,
        runId: index > 1 ? "r1" : null,
        model: index > 1 ? "demo/demo" : null,
        createdAt: 7000 + index,
      }),
    );
    await store.messages.append("c1", rows);
    expect((await store.messages.branch("c1", "m3")).rows).toEqual(rows);
    expect(await store.messages.get("c1", "m2")).toEqual(rows[2]);
    expect(await store.conversations.get("ann", "c1")).toMatchObject({ leafId: "m3", updatedAt: 7003 });
  });

  test("stores all or none", async () => {
    await store.messages.append("c1", chain(["a"]));
    const broken = [...chain(["b", "c"], "a"), message("d", "nowhere")];
    await expect(store.messages.append("c1", broken)).rejects.toMatchObject({ code: "not_found" });
    await expect(store.messages.append("c1", [message("a", null)])).rejects.toMatchObject({
      code: "duplicate",
    });
    expect(await store.messages.get("c1", "b")).toBeUndefined();
    expect((await store.conversations.get("ann", "c1"))?.leafId).toBe("a");
  });

  test("refuses an unknown conversation, a message of another one and a parent in another one", async () => {
    await store.conversations.create(conversation({ id: "c2" }));
    await store.messages.append("c1", chain(["a"]));
    const inOther = (parentId: string | null) => message("x", parentId, { conversationId: "c2" });
    await expect(store.messages.append("c9", [message("x", null)])).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(store.messages.append("c1", [inOther(null)])).rejects.toMatchObject({ code: "invalid" });
    await expect(store.messages.append("c2", [inOther("a")])).rejects.toMatchObject({ code: "not_found" });
  });

  test("takes a client message id once from each person", async () => {
    await store.conversations.create(conversation({ id: "c2" }));
    await store.conversations.create(conversation({ id: "c3", userId: "ben" }));
    const first = message("a", null, { clientMessageId: "k1" });
    await store.messages.append("c1", [first]);
    const again = (conversationId: string) =>
      store.messages.append(conversationId, [{ ...first, id: "b", conversationId }]);
    await expect(again("c2")).rejects.toMatchObject({ code: "duplicate" });
    await again("c3");
    expect(await store.messages.findByClientId("ann", "k1")).toEqual(first);
    expect((await store.messages.findByClientId("ben", "k1"))?.id).toBe("b");
    expect(await store.messages.findByClientId("ann", "k2")).toBeUndefined();
  });

  test("in parallel on both files, all of two hundred are stored", async () => {
    const roots = numbered(200);
    await Promise.all(
      roots.flatMap((id, index) => [
        store.messages.append("c1", [message(id, null)]),
        store.log.append(id, [{ seq: 1, at: 1, data: { type: "text", content: id } }], index % 2 === 0),
      ]),
    );
    expect((await store.messages.children("c1", [null])).get("")).toEqual(roots);
    expect(await Promise.all(roots.map((id) => store.log.lastSeq(id)))).toEqual(roots.map(() => 1));
  });
});

describe("a tree", () => {
  //  a ── b ── c        (first answer, and a question on it)
  //  └─── d ── e ── f   (regenerated, twice gone on)
  //       └─── g
  //  z                  (another root: the first question was edited)
  beforeEach(async () => {
    await store.messages.append("c1", chain(["a", "b", "c"]));
    const at = (id: string, parentId: string | null, createdAt: number) =>
      message(id, parentId, { createdAt });
    await store.messages.append("c1", [at("d", "a", 3000), at("e", "d", 3001), at("f", "e", 3002)]);
    await store.messages.append("c1", [at("g", "d", 3000)]);
    await store.messages.append("c1", [at("z", null, 1)]);
  });

  test("has a branch for each leaf", async () => {
    expect(ids((await store.messages.branch("c1", "c")).rows)).toBe("a b c");
    expect(ids((await store.messages.branch("c1", "f")).rows)).toBe("a d e f");
    expect(ids((await store.messages.branch("c1", "g")).rows)).toBe("a d g");
    expect(ids((await store.messages.branch("c1", "z")).rows)).toBe("z");
  });

  test("tells the siblings, oldest first, and roots under the empty key", async () => {
    const found = await store.messages.children("c1", [null, "a", "d", "c"]);
    expect([...found].sort()).toEqual([
      ["", ["z", "a"]],
      ["a", ["b", "d"]],
      ["d", ["g", "e"]],
    ]);
    expect((await store.messages.children("c1", [])).size).toBe(0);
    expect((await store.messages.children("c1", ["d"])).get("d")).toEqual(["g", "e"]);
  });

  test("leads to the newest leaf by always taking the newest child", async () => {
    expect(await store.messages.newestLeaf("c1", "a")).toBe("f");
    expect(await store.messages.newestLeaf("c1", "b")).toBe("c");
    expect(await store.messages.newestLeaf("c1", "f")).toBe("f");
    expect(await store.messages.newestLeaf("c1", "z")).toBe("z");
  });

  test("takes of children of the same time the one with the higher id, and none of another conversation", async () => {
    const at = { createdAt: 5000 };
    await store.messages.append("c1", [message("p", "f", at), message("r", "f", at)]);
    await store.messages.append("c1", [message("q", "f", at)]);
    expect(await store.messages.newestLeaf("c1", "a")).toBe("r");
    await store.conversations.create(conversation({ id: "c2" }));
    const later = { conversationId: "c2", createdAt: 9000 };
    await store.messages.append("c2", [message("f", null, later), message("p", "f", later)]);
    expect(await store.messages.newestLeaf("c1", "a")).toBe("r");
    expect(ids((await store.messages.branch("c2", "p")).rows)).toBe("f p");
  });

  test("refuses a leaf that is not in the conversation", async () => {
    await store.conversations.create(conversation({ id: "c2" }));
    for (const [where, id] of [
      ["c1", "nowhere"],
      ["c2", "a"],
    ] as const) {
      await expect(store.messages.branch(where, id)).rejects.toMatchObject({ code: "not_found" });
      await expect(store.messages.newestLeaf(where, id)).rejects.toMatchObject({ code: "not_found" });
      expect(await store.messages.get(where, id)).toBeUndefined();
    }
    await expect(store.messages.branch("c1", "c", { before: "nowhere" })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("a long branch", () => {
  const all = numbered(2500);
  const leaf = all.at(-1) ?? "";

  test("is read page by page from its end, each message once", async () => {
    await store.messages.append("c1", chain(all));
    const seen: string[] = [];
    let before: string | undefined;
    for (let page = 0; page < 100; page++) {
      const { rows, hasMore } = await store.messages.branch("c1", leaf, {
        limit: 250,
        ...(before && { before }),
      });
      seen.unshift(...rows.map(({ id }) => id));
      before = rows[0]?.id;
      if (!hasMore) break;
    }
    expect(seen).toEqual(all);
    expect(await store.messages.branch("c1", leaf, { limit: 5, before: all[0] ?? "" })).toEqual({
      rows: [],
      hasMore: false,
    });
  });

  test("has more only while a message is left above the page", async () => {
    await store.messages.append("c1", chain(all.slice(0, 7)));
    const page = async (limit: number, before?: string) => {
      const { rows, hasMore } = await store.messages.branch("c1", all[6] ?? "", {
        limit,
        ...(before && { before }),
      });
      return [rows.length, rows[0]?.id, hasMore];
    };
    expect(await page(7)).toEqual([7, all[0], false]);
    expect(await page(6)).toEqual([6, all[1], true]);
    expect(await page(5, all[5])).toEqual([5, all[0], false]);
    expect(await page(5, all[6])).toEqual([5, all[1], true]);
  });

  test("is read whole, followed to its leaf, and deleted with its conversation", async () => {
    await store.messages.append("c1", chain(all));
    expect((await store.messages.branch("c1", leaf)).rows).toHaveLength(2500);
    expect(await store.messages.newestLeaf("c1", all[0] ?? "")).toBe(leaf);
    const parents = await store.messages.children("c1", all);
    expect(parents.size).toBe(2499);
    await store.conversations.delete("c1");
    expect(await store.messages.get("c1", leaf)).toBeUndefined();
  });
});
