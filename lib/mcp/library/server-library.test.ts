import { afterEach, expect, test } from "vitest";
import { fixture, npmServer, openPool, type TestPool, textOf } from "@/lib/mcp/testing/test-pool";
import { modelContent } from "@/lib/protocol/history";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const signal = () => AbortSignal.timeout(10_000);

async function everything(more: Record<string, unknown> = {}): Promise<TestPool> {
  const pool = await openPool({ everything: { ...npmServer("server-everything"), ...more } });
  closing.push(pool.close);
  await pool.ready("everything");
  return pool;
}

test("prompts are listed, got with their arguments, and completed in the light of what is settled", async () => {
  const { pool, until } = await everything();
  await until(() => pool.library.prompts().length > 0);
  expect(pool.library.prompts().find(({ name }) => name === "args-prompt")).toEqual({
    server: "everything",
    name: "args-prompt",
    title: "Arguments Prompt",
    description: "A prompt with two arguments, one required and one optional",
    arguments: [
      { name: "city", title: null, description: "Name of the city", required: true },
      { name: "state", title: null, description: null, required: false },
    ],
  });
  const { messages } = await pool.library.getPrompt("everything", "args-prompt", { city: "Kyoto" }, signal());
  expect(messages[0]).toMatchObject({ role: "user", content: [{ type: "text" }] });
  expect(JSON.stringify(messages)).toContain("Kyoto");
  const ref = { type: "prompt" as const, name: "completable-prompt" };
  const departments = { ref, argument: { name: "department", value: "S" } };
  expect((await pool.library.complete("everything", departments, signal())).values).toEqual([
    "Sales",
    "Support",
  ]);
  const names = { ref, argument: { name: "name", value: "" }, context: { department: "Sales" } };
  expect((await pool.library.complete("everything", names, signal())).values.length).toBeGreaterThan(0);
});

test("resources and templates are listed and read, text and bytes", async () => {
  const { pool, until } = await everything();
  await until(() => pool.library.templates().length > 0);
  expect(pool.library.resources()[0]).toMatchObject({ server: "everything", uri: expect.any(String) });
  expect(pool.library.templates().map(({ uri }) => uri)).toContain(
    "demo://resource/dynamic/text/{resourceId}",
  );
  const read = (uri: string) => pool.library.readResource("everything", uri, signal());
  expect(await read("demo://resource/dynamic/text/1")).toEqual([
    { type: "text", text: expect.stringContaining("Resource 1") },
  ]);
  expect(await read("demo://resource/dynamic/blob/1")).toEqual([
    expect.objectContaining({ type: "file", data: expect.any(String) }),
  ]);
});

test("what a server refuses, and a server that is not there, are told in words", async () => {
  const { pool } = await everything();
  await expect(pool.library.readResource("everything", "demo://none", signal())).rejects.toMatchObject({
    code: "failed",
    message: expect.stringContaining("The server answered with an error"),
  });
  await expect(pool.library.getPrompt("nobody", "x", {}, signal())).rejects.toMatchObject({
    code: "not_found",
  });
});

test("what is for the user alone does not reach the model, which is told so", async () => {
  const { run } = await everything();
  const { result } = await run("everything__get-annotated-message", { messageType: "success" });
  expect(result.content).toMatchObject([{ audience: "user", text: "Operation completed successfully" }]);
  expect(modelContent(result)).toEqual([
    { type: "text", text: "[The tool has shown the user something that is not for you.]" },
  ]);
  const both = (await run("everything__get-annotated-message", { messageType: "error" })).result;
  expect(both.content[0]).not.toHaveProperty("audience");
  const debug = (await run("everything__get-annotated-message", { messageType: "debug" })).result;
  expect(debug.content[0]).toMatchObject({ audience: "assistant" });
  expect(textOf({ ...debug, content: modelContent(debug) })).toContain("Cache hit ratio");
});

test("a server is told of the folders of its entry, and one without any is not told that there could be some", async () => {
  const { run } = await everything({ roots: ["/srv/notes"] });
  const { result } = await run("everything__get-roots-list");
  expect(textOf(result)).toContain("1. notes\n   URI: file:///srv/notes");
  const { pool } = await everything();
  expect(pool.server("everything")?.tools.map(({ name }) => name)).not.toContain("get-roots-list");
});

test("changes of a resource are told while somebody watches, and the server is asked once", async () => {
  const { pool, run } = await everything();
  const uri = "demo://resource/dynamic/text/1";
  const told = { first: 0, second: 0 };
  const end = new AbortController();
  const watching = [
    pool.library.watchResource("everything", uri, end.signal, () => told.first++),
    pool.library.watchResource("everything", uri, end.signal, () => told.second++),
  ];
  const log = () => pool.logs("everything").map(({ text }) => text);
  await expect.poll(log).toContainEqual(expect.stringContaining("Received Subscribe Resource request"));
  await run("everything__toggle-subscriber-updates");
  await expect.poll(() => told, { timeout: 10_000 }).toEqual({ first: 1, second: 1 });
  end.abort();
  await Promise.all(watching);
  await expect.poll(log).toContainEqual(expect.stringContaining("Received Unsubscribe Resource request"));
  expect(log().filter((line) => line.includes("→ resources/subscribe"))).toHaveLength(1);
});

test("a server that tells of no changes is no server to watch", async () => {
  const { pool, ready, close } = await openPool({ plain: fixture("plain") });
  closing.push(close);
  await ready("plain");
  const { signal } = new AbortController();
  await expect(pool.library.watchResource("plain", "x://y", signal, () => {})).rejects.toThrow(
    "plain does not report changes",
  );
});
