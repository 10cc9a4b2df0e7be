import { join } from "node:path";
import type { Page } from "@playwright/test";
import { type HttpServer, listen } from "@/lib/mcp/testing/http-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll, tabTo } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

const script = join(import.meta.dirname, "../../lib/mcp/testing/odd-server.mjs");
const long = `long_${"n".repeat(195)}`;
const turned = "pay\u202eexe.";
const emoji = "🦊 & 👩‍🚀";
const trap = `${"a".repeat(40)}!`;
/** Whoever follows an address in a schema is found out. */
let elsewhere: HttpServer;
test.beforeAll(async () => {
  elsewhere = await listen((_request, response) => response.end('{"type":"string"}'));
});
test.afterAll(() => elsewhere.close());

async function addOdd(app: App, name: string): Promise<void> {
  const api = apiOf(app);
  const config = { command: "node", args: [script, elsewhere.url] };
  await api.post("/api/mcp/servers", { name, config });
  const { approvalHash } = await api.server(name);
  await api.post(`/api/mcp/servers/${name}/approve`, { hash: approvalHash });
  await expect.poll(async () => (await api.server(name)).status).toBe("ready");
}

/** Opens a tool of the server's page; `call` sends the form and waits for what came back. */
async function tryTool(page: Page, tool: string) {
  await page.getByRole("button", { name: tool, exact: true }).click();
  const form = page.getByRole("form", { name: `Arguments of ${tool}` });
  const outcome = page.getByRole("region", { name: "Result" });
  const call = async (args: unknown) => {
    await form.getByRole("button", { name: `Call ${tool}` }).click();
    await expect(outcome.getByText("Done")).toBeVisible();
    await expect(outcome).toContainText(`got ${JSON.stringify(args)}`);
  };
  return { form, call };
}

test("tools with schemas that loop, lead elsewhere, trap or have no end are shown and can be tried", async ({
  chat,
  page,
  app,
}) => {
  await addOdd(app, "odd");
  await chat.goto("/settings/mcp/odd");
  const loop = await tryTool(page, "loop");
  await loop.form.getByLabel("name", { exact: true }).fill("outer");
  await loop.form.getByRole("button", { name: "Add self" }).click();
  await loop.form.getByRole("group", { name: "self" }).getByLabel("name").fill("inner");
  await loop.call({ name: "outer", self: { name: "inner" } });

  const mutual = await tryTool(page, "mutual");
  await expect(mutual.form.getByRole("group", { name: "egg" })).toHaveCount(2);
  await mutual.call({ first: { hen: { egg: {}, name: "" }, other: { egg: {}, name: "" } } });

  const remote = await tryTool(page, "remote");
  await expect(remote.form.getByText("at an address that isn’t loaded. Enter it as JSON.")).toBeVisible();
  await remote.form.getByRole("button", { name: "Add broken" }).click();
  await remote.form.getByLabel("place").fill('{"at": [1, 2]}');
  await remote.call({ place: { at: [1, 2] }, broken: "" });
  await expectAccessible(page);

  const pattern = await tryTool(page, "pattern");
  await pattern.form.getByLabel("word").fill(trap);
  await pattern.call({ word: trap });

  const names = await tryTool(page, "names");
  await names.form.getByLabel("__proto__").fill("one");
  await names.form.getByLabel("plain").fill("two");
  await names.form.getByRole("button", { name: "Add constructor" }).click();
  await names.form.getByRole("textbox", { name: "constructor" }).fill("three");
  await names.call(JSON.parse('{"__proto__":"one","plain":"two","constructor":"three"}'));

  const choices = await tryTool(page, "choices");
  await choices.form.getByLabel("one").selectOption("choice 4999");
  await choices.form.getByRole("button", { name: "Add note" }).click();
  await choices.form.getByRole("textbox", { name: "note" }).pressSequentially("typed");
  await choices.call({ one: "choice 4999", note: "typed" });

  const nested = await tryTool(page, "nested_20");
  const inner = nested.form.getByLabel("level_13", { exact: true });
  await inner.fill("[");
  await expect(nested.form.getByText("not valid JSON for this field")).toBeVisible();
  await expect(nested.form.getByRole("button", { name: "Call nested_20" })).toBeDisabled();
  await inner.fill('{"level_12": "enough"}');
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await nested.form.getByRole("button", { name: "Call nested_20" }).click();
  await expect(page.getByRole("region", { name: "Result" })).toContainText('"level_12":"enough"');

  const wordy = await tryTool(page, "wordy");
  await expect(wordy.form).toBeInViewport();
  await page.getByRole("button", { name: "Show all of it" }).click();
  await expect(page.getByText(/(many words ){9000}/)).toBeVisible();
  for (const name of [long, emoji]) {
    const tool = await tryTool(page, name);
    await tool.call({});
    await page.getByRole("switch", { name: `${name} offered to models` }).click();
    await expect(page.getByRole("switch", { name: `${name} offered to models` })).not.toBeChecked();
  }
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);

  await expect(page.getByText(/^Some tools can’t be used/)).toBeVisible();
  await page.getByRole("tab", { name: "Log" }).click();
  await expect(page.getByText('"nested_100": its definition is nested deeper than 64 levels')).toBeVisible();
  expect(elsewhere.requests).toEqual([]);
});

test("a model calls them: in the dark, in Japanese and on a phone each call is answered or refused in words", async ({
  open,
  app,
  model,
}) => {
  await addOdd(app, "strange");
  const { tools } = await apiOf(app).server("strange");
  const call = (name: string, args: Record<string, unknown> = {}) => ({
    name: tools.find((tool) => tool.name === name)?.qualifiedName ?? name,
    args,
  });
  const named = JSON.parse('{"__proto__":"one","plain":"two","more":{"constructor":1}}');
  model.script = [
    [
      callTools(
        call("loop", { name: "a", self: { name: "b", self: { name: 3 } } }),
        call("remote", { place: { any: "thing" } }),
        call("pattern", { word: trap }),
        call("choices", { one: "choice 9999" }),
        call(long),
        call(emoji),
        call(turned),
        call("names", named),
        call("mutual", { first: { hen: { egg: {}, name: "" }, other: {} } }),
      ),
    ],
    [say("All of them.")],
  ];
  const chat = await open(app, {
    ...{ locale: "ja-JP", colorScheme: "dark", viewport: { width: 390, height: 844 } },
  });
  const { page } = chat;
  await chat.goto("/");
  await page.getByRole("button", { name: /^モデル/ }).click();
  await page.getByRole("menuitemcheckbox", { name: /^test-model/ }).click();
  const message = page.getByRole("textbox", { name: "メッセージ" });
  await message.fill("全部");
  await message.press("Enter");
  const card = page.getByRole("group", { name: /を許可しますか？/ });
  const allow = () => card.first().getByRole("button", { name: "今回だけ許可" }).click();
  await expect(card.first()).toContainText(long);
  await expectNoSidewaysScroll(page);
  await allow();
  await expect(card.first()).toContainText("pay\\u202eexe.");
  await allow();
  await card.first().getByLabel("__proto__").fill("changed");
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await allow();
  await expect(page.getByRole("button", { name: "再生成" })).toBeEnabled();
  const changed = JSON.stringify({ ...named }).replace("one", "changed");
  expect(model.requests.at(-1)?.toolResults).toEqual([
    expect.stringMatching(/^Not run: [^\n]+\n- \/self\/self\/name: Instance type "number" is invalid/),
    'got {"place":{"any":"thing"}}',
    `got {"word":"${trap}"}`,
    expect.stringMatching(/^Not run: [^\n]+\n- \/one: Instance does not match any of .{100,300}$/),
    "got {}",
    "got {}",
    "got {}",
    expect.stringContaining(`\ngot ${changed}`),
    expect.stringMatching(
      /^Not run: [^\n]+\n- \/first\/hen\/egg: Instance does not have required property "hen"/,
    ),
  ]);
  // The end of a line stays in sight, however long the name before it.
  for (const line of await page.getByRole("button", { name: /^strange/ }).all())
    await expect(line.locator("[data-cell=chevron]")).toBeInViewport();
  await expect(page.getByRole("button", { name: /^strange pay\\u202eexe\. ?, 完了/ })).toBeVisible();
  await expectAccessible(page);
  expect(elsewhere.requests).toEqual([]);
});

test("ten servers with five hundred tools: found by words and keys, chosen by name, called at once", async ({
  start,
  open,
}) => {
  const fixture = join(import.meta.dirname, "../../lib/mcp/testing/fixture-server.mjs");
  const entry = { command: "node", args: [fixture, "many", "49"] };
  const names = Array.from({ length: 10 }, (_, at) => `shop-${at}`);
  const app = await start({
    mcpConfig: { mcpServers: Object.fromEntries(names.map((name) => [name, entry])) },
  });
  await serversReady(app);
  const chat = await open(app, { colorScheme: "dark" });
  const { page } = chat;
  await chat.goto("/settings/mcp");
  const rows = page.getByRole("switch", { name: /^shop-\d on$/ });
  await expect(rows).toHaveCount(10);
  await expect(page.getByText("500 tools")).toBeVisible();
  const search = page.getByRole("searchbox", { name: "Search servers and tools" });
  await tabTo(search);
  await page.keyboard.type("shelf");
  await expect(page.getByRole("switch", { name: / offered to models$/ })).toHaveCount(490);
  await page.keyboard.type("_33");
  await expect(page.getByRole("switch", { name: "shelf_33 offered to models" })).toHaveCount(10);
  await search.fill("shop-7 mail");
  await expect(rows).toHaveCount(1);
  await expectAccessible(page);
  await tabTo(page.getByRole("link", { name: "Page of shop-7" }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/settings\/mcp\/shop-7$/);
  const list = page.getByRole("list", { name: "Tools" });
  await expect(list.getByRole("listitem")).toHaveCount(50);
  await tabTo(page.getByRole("searchbox", { name: "Find" }));
  await page.keyboard.type("SHELF_48");
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await expect(page.getByRole("heading", { name: "Try shelf_48" })).toBeVisible();
  await expectAccessible(page);

  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await chat.goto("/settings/mcp");
  await expect(rows).toHaveCount(10);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await chat.goto("/");
  await expect(page.getByRole("button", { name: "10 servers, 500 tools" })).toBeVisible();
  await chat.message.fill("@shop-7");
  await expect(page.getByRole("option", { name: /^@shop-7/ })).toBeVisible();
  await chat.message.press("Enter");
  await page.getByRole("button", { name: /^1 server, 50 tools/ }).press("ArrowDown");
  await expect(page.getByRole("menu").locator('[role^="menuitem"]').first()).toBeFocused();
  const third = page.getByRole("menuitemcheckbox", { name: /^shop-3/ });
  // By its letters one may land on a neighbour, where the machine is slow to take them.
  await expect(async () => {
    await page.keyboard.press("ArrowDown");
    await expect(third).toBeFocused({ timeout: 100 });
  }).toPass();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: /^2 servers, 100 tools/ })).toBeVisible();
  await chat.ask("/tool shop-3__send_mail");
  await chat.finished();
  await expect(chat.toolLine("shop-3 send_mail, done, ")).toBeVisible();
});
