import { expect, test } from "vitest";
import { noisyPng } from "@/lib/providers/testing/files";
import { getDeps } from "@/lib/server/entry/deps";
import { withFileStore } from "@/lib/server/loop/run-files";
import { storedNames } from "@/lib/server/testing/stored-files";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({}, { ATTACHMENTS_MAX_MB: "1" });

const upload = (kilobytes: number) =>
  callApi("POST", "/api/attachments", "x".repeat(kilobytes * 1024), {
    "content-type": "text/plain",
    "x-filename": "a.txt",
  });
const stored = async () => (await storedNames()).length;

test("files take their megabyte together and no more, uploads at once and copies too, until a conversation goes", async () => {
  const statuses = (await Promise.all([300, 300, 300, 300].map(upload))).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([201, 201, 201, 507]);
  const files = await stored();
  const refused = await upload(300);
  expect(refused.status).toBe(507);
  expect((await refused.json()).error).toEqual({
    code: "attachments_full",
    message:
      "All your attached files may take 1 MB together: delete conversations with files that you no longer need, or have the limit raised (by an admin, or with ATTACHMENTS_MAX_MB).",
  });
  expect(await stored()).toBe(files);
  const { id } = await (await upload(100)).json();
  const ask = () =>
    callApi("POST", "/api/chat", {
      message: { text: "count to 1", attachments: [{ id }] },
      model: "demo/demo",
    });
  const { conversationId } = await readStream(await ask());
  const copied = await ask();
  expect([copied.status, (await copied.json()).error.code]).toEqual([507, "attachments_full"]);
  const shared = await callApi("POST", `/api/conversations/${conversationId}/shares`, {});
  const forked = await callApi("POST", `/api/share/${(await shared.json()).token}/fork`, {});
  expect([forked.status, (await forked.json()).error.code]).toEqual([507, "attachments_full"]);
  const { items } = await (await callApi("GET", "/api/conversations")).json();
  expect(items.map(({ id }: { id: string }) => id)).toEqual([conversationId]);
  await callApi("DELETE", `/api/conversations/${conversationId}`);
  expect((await upload(100)).status).toBe(201);
});

test("of a tool's file beyond it a note is kept", async () => {
  const { store, files } = await getDeps();
  const data = noisyPng(700).toString("base64");
  const image = { type: "file" as const, mediaType: "image/png", name: "plot.png", data };
  const tools = withFileStore(
    { list: async () => [], call: async () => ({ content: [image] }) } as never,
    { store, files },
    { userId: "local", conversationId: null } as never,
  );
  const before = await stored();
  expect(await tools.call({} as never, {} as never)).toMatchObject({
    content: [{ type: "text", text: expect.stringMatching(/^\[plot\.png was not kept: /) }],
  });
  expect(await stored()).toBe(before);
});
