import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { serverScript } from "../support/default-servers";
import { chooseMore } from "../support/more-menu";
import { expect, test } from "../support/test";

const everything = serverScript("everything");
const token = "correct-horse-battery";
const rowOf = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("switch", { name: `${name} on`, exact: true }) });
const readServers = (app: App) =>
  (JSON.parse(readFileSync(app.mcpConfig, "utf8")) as { mcpServers: Record<string, Record<string, unknown>> })
    .mcpServers;

async function openPaste(page: Page, text: string) {
  await chooseMore(page, "Paste");
  const dialog = page.getByRole("dialog", { name: "Paste a configuration" });
  await dialog.getByRole("textbox", { name: "Configuration" }).fill(text);
  return { dialog, preview: dialog.getByRole("region", { name: "Will be added" }) };
}

async function remove(page: Page, name: string): Promise<void> {
  const row = rowOf(page, name);
  const open = row.getByRole("button", { name: new RegExp(`^${name}`) });
  if ((await open.getAttribute("aria-expanded")) === "false") await open.click();
  await row.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(row).toHaveCount(0);
}

test("VS Code's inputs are filled in, kept encrypted, reach the server and are replaced, never shown", async ({
  chat,
  page,
  app,
}) => {
  await chat.goto("/settings/mcp");
  const { dialog, preview } = await openPaste(
    page,
    JSON.stringify({
      inputs: [{ id: "the key", type: "promptString", description: "Key of the shop", password: true }],
      servers: {
        shop: {
          type: "stdio",
          command: "node",
          args: [everything, "stdio"],
          env: { SHOP_KEY: `\${input:the key}`, OTHER_TOKEN: token, MODE: "fast" },
        },
      },
    }),
  );
  await expect(preview).toContainText("Read as VS Code’s configuration");
  await expect(preview).toContainText("Sets SHOP_KEY, OTHER_TOKEN, MODE. 2 are secrets.");
  await expect(preview).not.toContainText(token);
  await expect(dialog.getByRole("switch", { name: "Store the secret encrypted." })).toBeChecked();
  await expect(dialog.getByText("OTHER_TOKEN won’t be in the file, and won’t be shown again.")).toBeVisible();
  await dialog.getByLabel("Key of the shop (the_key)").fill("key-of-the-shop");
  await expectAccessible(page);
  expect(readServers(app)).not.toHaveProperty("shop");
  await dialog.getByRole("button", { name: "Add one server" }).click();

  const row = rowOf(page, "shop");
  await expect(row.locator("pre")).toContainText(
    `env SHOP_KEY=\${secret:the_key} env OTHER_TOKEN=\${secret:OTHER_TOKEN} env MODE=••••`,
  );
  expect(readServers(app).shop?.env).toEqual({
    SHOP_KEY: `\${secret:the_key}`,
    OTHER_TOKEN: `\${secret:OTHER_TOKEN}`,
    MODE: "fast",
  });
  await row.getByRole("button", { name: "Approve and run" }).click();
  await expect(row.getByText(/^Ready/)).toBeVisible();
  const environment = async () =>
    (
      await app.fetch("/api/mcp/servers/shop/tools/get-env/call", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"args":{}}',
      })
    ).text();
  // What a server repeats of its secrets is masked, and nothing but these very values.
  expect(await environment()).toContain(`\\"SHOP_KEY\\": \\"••••\\"`);
  expect(await environment()).toContain(`\\"OTHER_TOKEN\\": \\"••••\\"`);

  await row.getByRole("button", { name: /^shop/ }).click();
  const secrets = row.getByRole("region", { name: "Secrets of shop" });
  await expect(secrets.getByRole("listitem")).toHaveText([/^OTHER_TOKENstored/, /^the_keystored/]);
  await secrets
    .getByRole("listitem")
    .filter({ hasText: "the_key" })
    .getByRole("button", { name: "Replace" })
    .click();
  const { pid } = await apiOf(app).server("shop");
  await secrets.getByLabel("the_key").fill("another-key");
  await secrets.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("the_key saved.")).toBeVisible();
  await expect(row.getByText(/^Ready/)).toBeVisible();
  await expect.poll(async () => (await apiOf(app).server("shop")).pid).not.toBe(pid);
  await expect.poll(environment).toContain(`\\"SHOP_KEY\\": \\"••••\\"`);
  await expect(page.locator("body")).not.toContainText(/another-key|correct-horse/);

  await secrets.getByRole("button", { name: "Delete the_key" }).click();
  await expect(row.getByText("Enter a value")).toBeVisible();
  await expect(row.getByText("names the secret the_key, which is not stored").last()).toBeVisible();
  await remove(page, "shop");
});

test("LibreChat's YAML and chat-ui's array are understood, and bad input is told in words where it stands", async ({
  chat,
  page,
}) => {
  await chat.goto("/settings/mcp");
  const { dialog, preview } = await openPaste(
    page,
    "version: 1.2.1\nmcpServers:\n  weather:\n    command: npx\n    args: [-y, weather]\n    chatMenu: false\n",
  );
  await expect(preview).toContainText("Read as LibreChat’s YAML");
  await expect(preview.getByRole("listitem")).toHaveText(["weathernpx -y weather"]);
  await expect(preview).toContainText("Not imported: version.");
  const field = dialog.getByRole("textbox", { name: "Configuration" });
  await field.fill('[{"name": "Web Search (Exa)", "url": "https://exa.example/mcp"}]');
  await expect(preview).toContainText("Read as chat-ui’s list");
  await expect(preview.getByRole("listitem")).toHaveText(["Web Search (Exa)https://exa.example/mcp"]);
  await field.fill('{"name": "alone", "url": "https://alone.example/mcp"}');
  await expect(preview).toContainText("Read as a single server");
  await expect(preview.getByRole("listitem")).toHaveText(["alonehttps://alone.example/mcp"]);
  for (const [text, words] of [
    [
      "mcpServers:\n  a: {command: x}\n  a: {command: y}",
      "Line 3: A name appears twice. Remove one of the two.",
    ],
    ['{"a": {"command": "x"},\n 1: 2}', "Line 2: A name in double quotes is expected"],
    ['{"__proto__": {"command": "x"}}', 'The name "__proto__" is not allowed.'],
  ] as const) {
    await field.fill(text);
    await expect(dialog.getByRole("alert")).toContainText(words);
    await expect(dialog.getByRole("button", { name: "Add", exact: true })).toBeDisabled();
  }
  await field.evaluate((element: HTMLTextAreaElement) => {
    const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set;
    set?.call(element, "x".repeat(10_000_000));
    element.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await expect(dialog.getByRole("alert")).toContainText("about 10 million characters, at most 1 million.");
});

test("a server that ships with us is added and run by one click on the command that is shown", async ({
  start,
  open,
}) => {
  const app = await start();
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/settings/mcp");
  const list = page.getByRole("region", { name: "Ready to use, no keys needed" });
  await expect(list.getByRole("listitem")).toHaveCount(3);
  await expect(list).toContainText(
    "node node_modules/@modelcontextprotocol/server-everything/dist/index.js stdio",
  );
  await expectAccessible(page);
  const shipped = ["everything", "budget-allocator", "map"];
  for (const name of shipped) {
    await list.getByRole("button", { name: `Add and run ${name}` }).click();
    await expect(rowOf(page, name).getByText(/^Ready/)).toBeVisible({ timeout: 20_000 });
  }
  await expect(list).toHaveCount(0);

  await rowOf(page, "everything")
    .getByRole("button", { name: /^everything/ })
    .click();
  await rowOf(page, "everything").getByRole("button", { name: "Make idle" }).click();
  await expect(rowOf(page, "everything").getByText("idle, starts when needed")).toBeVisible();

  const download = page.waitForEvent("download");
  await chooseMore(page, "Export");
  const file = JSON.parse(readFileSync(await (await download).path(), "utf8"));
  expect((await download).suggestedFilename()).toBe("mcp-servers.json");
  expect(Object.keys(file.mcpServers)).toEqual(["filesystem", "memory", "sequential-thinking", ...shipped]);
});

test("the JSON editor marks faults in their lines, suggests fields, and refuses to save what is marked", async ({
  chat,
  page,
  app,
}) => {
  await chat.goto("/settings/mcp");
  await page.getByRole("button", { name: "Add a server" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a server" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("typed");
  await dialog.getByRole("button", { name: "As JSON" }).click();
  const editor = dialog.getByRole("textbox", { name: "Entry" });
  await expect(editor).toBeVisible();
  const write = async (text: string) => {
    await editor.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(text);
  };
  await write('{\n  "command": 1,\n  "args": []\n}');
  const marks = dialog.locator(".cm-lint-marker-error");
  await expect(marks).toHaveCount(1);
  const wrong = dialog.getByRole("list", { name: "Problems" }).getByRole("listitem");
  await expect(wrong).toHaveText(["Line 2: “command” must be a text in double quotes."]);
  await expectAccessible(page);
  await write('{"command": "a", "command": "b"}');
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.getByRole("alert")).toHaveText("Fix the marked lines first.");

  await write('{"command": "node", "dis');
  await expect(dialog.getByRole("option")).toHaveText([/^disabled/, /^disabledTools/]);
  await dialog.getByRole("option", { name: /^disabled(?!Tools)/ }).click();
  await page.keyboard.insertText("}");
  await expect(editor).toHaveText('{"command": "node", "disabled": true}');
  await expect(marks).toHaveCount(0);
  // Tab goes on, so that the keyboard is not caught.
  await page.keyboard.press("Tab");
  await expect(dialog.getByRole("switch")).toBeFocused();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(rowOf(page, "typed")).toBeVisible();
  expect(readServers(app).typed).toEqual({ command: "node", disabled: true });
  await remove(page, "typed");
});

test("thirty servers with five hundred tools are searched by what they and their tools say", async ({
  chat,
  page,
}) => {
  let length = 30;
  await page.route("**/api/mcp/servers?limit=200", async (route) => {
    const response = await route.fetch();
    const list = await response.json();
    const [server] = list.items;
    const tool = server.tools[0];
    const items = Array.from({ length }, (_, index) => ({
      ...server,
      name: `server-${index}`,
      tools: Array.from({ length: 17 }, (_tool, at) => ({
        ...tool,
        name: at === 0 ? `${"x".repeat(195)}🦊` : `tool_${index}_${at}`,
        description: index === 17 && at === 3 ? "Feeds the fox" : "Does something",
      })),
    }));
    await route.fulfill({ response, json: { ...list, items } });
  });
  await chat.goto("/settings/mcp");
  const rows = page.getByRole("switch", { name: /^server-\d+ on$/ });
  await expect(rows).toHaveCount(30);
  const search = page.getByRole("searchbox", { name: "Search servers and tools" });
  await search.fill("fox");
  await expect(rows).toHaveCount(1);
  await expect(page.getByRole("switch", { name: "tool_17_3 offered to models" })).toBeVisible();
  await search.fill("server-3");
  await expect(rows).toHaveCount(1);
  await search.fill("no such thing");
  await expect(page.getByText("No server or tool matches “no such thing”.")).toBeVisible();
  await search.fill("🦊");
  await expect(rows).toHaveCount(30);
  await expectNoSidewaysScroll(page);
  // What filters the list stays to be seen when there is no more need for it.
  length = 4;
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await expect(rows).toHaveCount(4);
  await expect(search).toHaveValue("🦊");
  await search.fill("");
  await expect(search).toHaveCount(0);
  await expect(rows).toHaveCount(4);
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("on a phone, in the dark and in Japanese, pasting is clear and accessible", async ({ open, app }) => {
  const chat = await open(app, {
    ...{ locale: "ja-JP", colorScheme: "dark", viewport: { width: 390, height: 844 } },
  });
  const { page } = chat;
  await chat.goto("/settings/mcp");
  await page.getByRole("button", { name: /^everything/ }).click();
  await expect(page.getByRole("switch", { name: /^echo / })).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await chooseMore(page, "貼り付け", "その他");
  const dialog = page.getByRole("dialog", { name: "設定を貼り付け" });
  await dialog
    .getByRole("textbox", { name: "設定" })
    .fill(JSON.stringify({ shop: { command: "npx", env: { SHOP_TOKEN: token, API_KEY: "<YOUR_KEY>" } } }));
  await expect(dialog.getByText("名前と設定の組として読み込みました")).toBeVisible();
  await expect(dialog.getByRole("switch", { name: "秘密の値 1 件を暗号化して保存する" })).toBeChecked();
  await expect(dialog.getByLabel("API_KEY")).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
