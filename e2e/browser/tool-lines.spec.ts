import { join } from "node:path";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

const fixture = join(import.meta.dirname, "../../lib/mcp/testing/fixture-server.mjs");
const dot = {
  env: { TOOL_APPROVAL: "allow" },
  mcpConfig: { mcpServers: { dot: { command: "node", args: [fixture, "icon"] } } },
};

test("a long result is folded, and searched", async ({ start, open }) => {
  const app = await start(dot);
  await serversReady(app);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/");
  await chat.ask("/tool dot__tell {}");
  await chat.finished();
  await chat.toolLine("dot tell, done, ").click();
  const result = chat.lastTurn.locator("[data-long-text]");
  await expect(result.getByText(/KB of text/)).toBeVisible();
  await expect(result.getByText("line 3999 of")).toHaveCount(0);
  await expectAccessible(page);
  await result.getByRole("searchbox", { name: "Find in result" }).fill("LINE 3999");
  await expect(result.getByText("1 matching line")).toBeVisible();
  await expect(result.locator("pre")).toHaveText(/3999 {2}line 3999 of the long result/);
  await result.getByRole("searchbox", { name: "Find in result" }).fill("");
  await result.getByRole("button", { name: "Show all" }).click();
  await expect(result.locator("pre")).toContainText("line 4000 of the long result");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
});

test("a line carries the server's icon, and its call can be copied", async ({ start, open }) => {
  const app = await start(dot);
  await serversReady(app);
  const chat = await open(app, { permissions: ["clipboard-read", "clipboard-write"] });
  await chat.goto("/");
  await chat.ask('/tool dot__echo {"word": "yes"}');
  await chat.finished();
  const line = chat.toolLine("dot echo, done, ");
  const icon = line.locator("img");
  await expect(icon).toBeVisible();
  await expect.poll(() => icon.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await line.click();
  await chat.lastTurn.getByRole("button", { name: "Copy as JSON-RPC" }).click();
  const copied = JSON.parse(await chat.page.evaluate(() => navigator.clipboard.readText()));
  expect(copied).toEqual({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "echo", arguments: { word: "yes" } },
  });
  await chat.goto("/settings/mcp");
  await expect(chat.page.getByText("The Little Dot")).toBeVisible();
  await expectAccessible(chat.page);
});
