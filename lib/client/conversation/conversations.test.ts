import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ConversationItem } from "@/lib/protocol/http";

/** The list of a server, newest first; `down` answers as one that restarts. */
let stored: string[];
let down: boolean;
let asked: string[];
let batches: string[][];
let server: Server;
const realFetch = globalThis.fetch;

beforeEach(async () => {
  vi.resetModules();
  [stored, down, asked, batches] = [numbers(1, 130), false, [], []];
  server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    let text = "";
    for await (const piece of request) text += piece;
    const answer = (status: number, json: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
    if (down) return answer(503, { error: { code: "restarts", message: "Later." } });
    asked.push(`${request.method} ${pathname.split("/").at(-1)} ${searchParams.get("cursor") ?? ""}`.trim());
    if (request.method === "GET") return answer(200, page(searchParams));
    const { ids } = JSON.parse(text) as { ids: string[] };
    batches.push(ids);
    const done = ids.filter((id) => stored.includes(id));
    stored = stored.filter((id) => !done.includes(id));
    const failed = ids.filter((id) => !done.includes(id)).map((id) => ({ id, code: "not_found" }));
    answer(200, { done, failed });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  globalThis.fetch = (path, init) => realFetch(`${base}${path}`, init);
});

afterEach(async () => {
  globalThis.fetch = realFetch;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** As fresh as a page that has just been opened. */
async function open() {
  const list = await import("./conversations");
  const { changeTogether, hideConversations } = await import("./batch");
  await list.refreshConversations();
  const shown = () => list.listedConversations(numbers(0, 500)).map(({ id }) => id);
  return { ...list, changeTogether, hideConversations, shown };
}

it("loads page after page, and keeps what was loaded while the newest are fetched again", async () => {
  const { loadOlderConversations, refreshConversations, shown } = await open();
  await loadOlderConversations();
  await loadOlderConversations();
  await loadOlderConversations();
  expect(shown()).toHaveLength(130);
  stored = ["n000", ...stored];
  asked = [];
  await refreshConversations();
  expect(shown()).toHaveLength(131);
  expect(asked).toEqual(["GET conversations"]);
});

it("reads the whole list again when one far below the first page has gone elsewhere", async () => {
  const { loadOlderConversations, refreshConversations, shown } = await open();
  await loadOlderConversations();
  await loadOlderConversations();
  stored = stored.filter((id) => id !== "n120");
  await refreshConversations();
  expect(shown()).toHaveLength(129);
  expect(shown()).not.toContain("n120");
  asked = [];
  await refreshConversations();
  expect(asked).toEqual(["GET conversations"]);
});

it("hides what is being deleted though a fetch still has it", async () => {
  const { hideConversations, refreshConversations, shown } = await open();
  const show = hideConversations(["n003"]);
  expect(shown()).not.toContain("n003");
  await refreshConversations();
  expect(shown()).not.toContain("n003");
  show(["n003"]);
  expect(shown().slice(0, 4)).toContain("n003");
  await refreshConversations();
  expect(shown()).toContain("n003");
});

it("lists what comes back from elsewhere as soon as that is done", async () => {
  const { changeTogether, hideConversations, shown } = await open();
  const show = hideConversations(["n003"]);
  await changeTogether(["gone"], "unarchive", undefined, () => show([]));
  expect(shown()).toContain("n003");
});

it("changes many some at a time, and tells which of them were gone", async () => {
  const { changeTogether } = await open();
  stored = numbers(1, 450).filter((id) => id !== "n007");
  const { done, failed, error } = await changeTogether(numbers(1, 450), "archive");
  expect(batches.map(({ length }) => length)).toEqual([200, 200, 50]);
  expect(done).toHaveLength(449);
  expect({ failed, error }).toEqual({ failed: [{ id: "n007", code: "not_found" }], error: undefined });
});

it("gives up where the server is not there, and says so of each", async () => {
  const { changeTogether } = await open();
  down = true;
  const { done, failed, error } = await changeTogether(numbers(1, 300), "delete");
  expect(done).toEqual([]);
  expect(failed).toHaveLength(300);
  expect(error).toMatchObject({ code: "restarts" });
});

function page(query: URLSearchParams) {
  const limit = Number(query.get("limit"));
  const after = query.get("cursor");
  const start = after === null ? 0 : stored.findIndex((id) => id > after);
  const ids = start === -1 ? [] : stored.slice(start, start + limit);
  const hasMore = start !== -1 && start + limit < stored.length;
  return {
    items: ids.map(item),
    nextCursor: hasMore ? ids.at(-1) : null,
    ...(after === null && { counts: { listed: stored.length, archived: 0 } }),
  };
}

/** The higher its number, the older it is. */
function item(id: string): ConversationItem {
  const at = new Date(1_800_000_000_000 - Number(id.slice(1)) * 60_000).toISOString();
  return {
    ...{ id, title: id, leafId: null, projectId: null, activeRunId: null, status: null, pinned: false },
    ...{ createdAt: at, updatedAt: at },
  } as ConversationItem;
}

function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => `n${String(first + at).padStart(3, "0")}`);
}
