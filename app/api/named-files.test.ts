import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { noisyPng } from "@/lib/providers/testing/files";
import { callApi, type ReadStream, readStream, withApplication } from "./testing/call-api";

const dir = mkdtempSync(join(tmpdir(), "meguri-named-"));
const journal = join(dir, "journal");
afterAll(() => rmSync(dir, { recursive: true }));
const server = join(import.meta.dirname, "../../lib/mcp/testing/file-server.mjs");
withApplication({ files: { command: "node", args: [server, journal] } });

const png = noisyPng(40);

async function uploaded(name: string): Promise<string> {
  const headers = { "content-type": "image/png", "x-filename": name };
  return (await (await callApi("POST", "/api/attachments", new Uint8Array(png), headers)).json()).id;
}

/** Has the demo call a tool. */
async function callTool(name: string, args: object, ids: string[], conversationId?: string) {
  const message = {
    text: `/tool files__${name} ${JSON.stringify(args)}`,
    attachments: ids.map((id) => ({ id })),
  };
  return readStream(
    await callApi("POST", "/api/chat", { message, ...(conversationId && { conversationId }) }),
  );
}

const fileOf = (runId: string, id: string) => callApi("GET", `/api/runs/${runId}/files/${id}`);
const answer = async ({ runId, chunks }: ReadStream, given: object) => {
  const asked = chunks.find((chunk) => chunk.type === "approval_request");
  return callApi("POST", `/api/runs/${runId}/answer`, { requestId: asked?.requestId, ...given });
};

it("says which file a waiting call names, and hands it over when a person allows it", async () => {
  const id = await uploaded("dot.png");
  const data = `attachment:${id}`;
  const run = await callTool("base64", { data }, [id]);
  expect(run.status).toBe("waiting");
  expect(run.chunks.find(({ type }) => type === "approval_request")).toMatchObject({
    call: { args: { data } },
  });
  const found = await fileOf(run.runId, id);
  expect(await found.json()).toEqual({ id, name: "dot.png", mimeType: "image/png", size: png.length });
  const wrong = await answer(run, {
    decision: "approve",
    args: { data: data.replace(/.$/, (last) => (last === "0" ? "1" : "0")) },
  });
  expect([wrong.status, (await wrong.json()).error.message]).toEqual([
    400,
    expect.stringMatching(/^args: There is no file attachment:/),
  ]);
  const { runId } = await (await answer(run, { decision: "approve" })).json();
  const stream = await readStream(await callApi("GET", `/api/runs/${runId}/stream`));
  expect(stream.chunks.find(({ type }) => type === "tool_start")).toMatchObject({ args: { data } });
  expect(stream.status).toBe("completed");
  const sent = JSON.stringify({ name: "base64", args: { data: png.toString("base64") } });
  expect(readFileSync(journal, "utf8").split("\n")).toContain(sent);
  // Nothing that is handed out has a byte of it.
  const told = await Promise.all(
    [`/api/conversations/${run.conversationId}`, `/api/runs/${runId}`, `/api/runs/${runId}/events`].map(
      async (path) => (await callApi("GET", path)).text(),
    ),
  );
  expect(told.join()).toContain(data);
  expect(told.join()).not.toContain(png.toString("base64").slice(0, 40));
});

it("tells of a small file that a tool has returned with its bytes, and of no other conversation's", async () => {
  const given = await callTool("give", { bytes: 500 }, []);
  const result = given.chunks.find((chunk) => chunk.type === "tool_result")?.result;
  const [part] = result?.content ?? [];
  if (part?.type !== "file" || part.attachmentId !== undefined || !part.id)
    throw new Error("There is no file with an id.");
  expect(await (await fileOf(given.runId, part.id)).json()).toEqual({
    ...{ id: part.id, name: "file.png", mimeType: "image/png", size: 500 },
    data: Buffer.alloc(500, 7).toString("base64"),
  });
  const next = await callTool("uri", { image: `attachment:${part.id}` }, [], given.conversationId);
  expect(next.status).toBe("waiting");
  expect((await fileOf(next.runId, part.id)).status).toBe(200);

  const other = await callTool("echo", { text: "x" }, [await uploaded("other.png")]);
  for (const id of [part.id, "no id", "..", "0".repeat(2_000)]) {
    const response = await fileOf(other.runId, encodeURIComponent(id));
    expect([response.status, (await response.json()).error.code]).toEqual([404, "not_found"]);
  }
  const refused = await callTool("uri", { image: `attachment:${part.id}` }, [], other.conversationId);
  expect(refused.status).toBe("completed");
  expect(refused.chunks.find((chunk) => chunk.type === "tool_result")).toMatchObject({
    result: { status: "error", reason: "not_run" },
  });
});
