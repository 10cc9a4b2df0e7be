import { type App, startApp } from "../support/app";
import { type Modern, startModern } from "../support/modern";
import { expect, serversReady, test } from "../support/test";

// What a server of the 2026-07-28 wire has, and how it tells of changes.
test.describe.configure({ mode: "default" });

let app: App;
let modern: Modern;

test.beforeAll(async () => {
  modern = await startModern();
  app = await startApp({
    env: { TOOL_APPROVAL: "allow" },
    mcpConfig: { mcpServers: { stdio: modern.stdio, http: modern.http } },
  });
  await serversReady(app);
});

test.afterAll(async () => {
  await app.kill9();
  await app.dispose();
  await modern.end();
});

for (const wire of ["stdio", "http"] as const) {
  test(`${wire}: a tool that the server learns is told by itself, waits to be accepted and can be called`, async ({
    open,
  }) => {
    const chat = await open(app);
    const other = await open(app);
    await other.goto("/settings/mcp");
    await other.page.getByRole("button", { name: new RegExp(`^${wire}`) }).click();
    const learned = other.page.getByRole("switch", { name: "dance offered to models" });
    await expect(other.page.getByRole("switch", { name: "count offered to models" })).toBeVisible();
    await expect(learned).toHaveCount(0);
    await chat.callTool(`${wire}__learn`);
    await chat.finished();
    await expect(learned).toBeVisible();
    await other.page.getByRole("button", { name: "Accept: dance" }).click();
    await expect(other.page.getByRole("button", { name: "Accept: dance" })).toHaveCount(0);
    await chat.callTool(`${wire}__dance`);
    await chat.finished();
    await expect(chat.lastTurn.getByText("One, two, three.").first()).toBeVisible();
  });

  test(`${wire}: an open resource says that it has changed on its server`, async ({ open }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__rewrite`);
    await chat.finished();
    await chat.toolLine(`${wire} rewrite, done, `).click();
    await chat.lastTurn.getByRole("button", { name: "Open", exact: true }).click();
    await expect(chat.lastTurn.getByText("The text of book-1.")).toBeVisible();
    const changed = chat.lastTurn.getByText("It has changed on the server.");
    await expect
      .poll(async () => {
        await app.fetch(`/api/mcp/servers/${wire}/tools/rewrite/call`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: '{"args":{}}',
        });
        return changed.isVisible();
      })
      .toBe(true);
  });

  test(`${wire}: prompts, resources on all pages, templates and completion`, async () => {
    const json = async (path: string, body?: unknown) => {
      const answer = await app.fetch(
        `/api/mcp/${path}`,
        body === undefined
          ? {}
          : {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ server: wire, ...(body as object) }),
            },
      );
      expect(answer.status).toBe(200);
      return answer.json();
    };
    const mine = (items: { server: string }[]) => items.filter(({ server }) => server === wire);
    expect(mine((await json("prompts")).items)).toMatchObject([
      { name: "recite", title: "Recite", arguments: [{ name: "author", required: true }] },
    ]);
    const { messages } = await json("prompts/get", { name: "recite", args: { author: "Bashō" } });
    expect(messages).toMatchObject([
      { role: "user", content: [{ text: "Recite Bashō." }] },
      { role: "assistant", content: [{ text: "Which poem?" }] },
      { role: "user", content: [{ text: "An old pond." }] },
    ]);
    const { items, templates } = await json("resources");
    expect(mine(items)).toHaveLength(5);
    expect(mine(templates)).toMatchObject([{ uri: "book://by/{author}" }]);
    expect(await json("resources/read", { uri: "book://by/Shikibu" })).toMatchObject({
      content: [{ type: "text", text: "By Shikibu." }],
    });
    const complete = (ref: unknown) =>
      json("complete", { ref, argument: { name: "author", value: "s" } }) as Promise<{ values: string[] }>;
    const found = ["Sōseki", "Shikibu"];
    expect((await complete({ type: "prompt", name: "recite" })).values).toEqual(found);
    expect((await complete({ type: "resource", uri: "book://by/{author}" })).values).toEqual(found);
  });
}

test("http: a stream of changes that breaks is opened again, and what was missed is listed", async ({
  open,
}) => {
  const chat = await open(app);
  await chat.goto("/settings/mcp");
  await chat.page.getByRole("button", { name: /^http/ }).click();
  const missed = chat.page.getByRole("switch", { name: "bow offered to models" });
  await expect(chat.page.getByRole("switch", { name: "count offered to models" })).toBeVisible();
  await expect(missed).toHaveCount(0);
  const other = await open(app);
  await other.callTool("http__learn-alone");
  await other.finished();
  await expect(missed).toBeVisible();
});

test("http: a server that goes says so, and is found again with its tools", async ({ open }) => {
  const chat = await open(app);
  await chat.goto("/settings/mcp");
  const row = chat.page.getByRole("listitem").filter({ hasText: modern.http.url ?? "" });
  await expect(row.getByText(/^Ready/)).toBeVisible();
  await modern.crash();
  await expect(row.getByText(/^Not working/)).toBeVisible({ timeout: 60_000 });
  await modern.revive();
  await expect(row.getByText(/^Ready/)).toBeVisible({ timeout: 60_000 });
  await chat.callTool("http__greet", { name: "Eve" });
  await chat.finished();
  await expect(chat.lastTurn.getByText("Hello, Eve.").first()).toBeVisible();
});
