import type { Page } from "@playwright/test";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expectAccessible } from "../support/check-page";
import { processesWith } from "../support/processes";
import { expect, serversReady, test } from "../support/test";

const rowOf = (page: Page, label: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("switch", { name: label, exact: true }) });
const statusOf = async (app: App, name: string) => (await apiOf(app).server(name)).status;

test("a chat calls a tool of a server that sleeps, and the settings show who sleeps, in English and Japanese", async ({
  start,
  open,
}) => {
  const app = await start({ env: { MCP_MAX_PROCESSES: "1" } });
  await expect
    .poll(async () => (await apiOf(app).servers()).items.map(({ tools }) => tools.length > 0))
    .toEqual([true, true, true]);
  await serversReady(app);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/");
  await expect(page.getByText(/^3 servers are ready/)).toBeVisible();
  for (const [server, call, answer] of [
    ["memory", "/tool memory__read_graph {}", "memory read_graph, done, "],
    ["filesystem", '/tool filesystem__list_directory {"path": "."}', "filesystem list_directory, done, "],
  ] as const) {
    await chat.goto("/");
    await chat.ask(call);
    await chat.finished();
    await expect(chat.toolLine(answer)).toBeVisible();
    expect(await statusOf(app, server)).toBe("ready");
    // Only the process of the filesystem server has its folder in the command line.
    await expect
      .poll(() => processesWith(app.sandbox).length > 0, { message: "the filesystem server runs" })
      .toBe(server === "filesystem");
  }
  expect(await statusOf(app, "memory")).toBe("sleeping");

  await chat.goto("/settings/mcp");
  const row = rowOf(page, "memory on");
  await expect(row.getByText("Ready")).toBeVisible();
  await expect(row.getByText("idle, starts when needed")).toBeVisible();
  await expect(page.getByText(/^3 are ready\./)).toBeVisible();
  await row.getByRole("button", { name: /^memory/ }).click();
  await expect(row.getByRole("switch", { name: "read_graph offered to models" })).toBeChecked();
  await expectAccessible(page);

  const japanese = await open(app, { locale: "ja-JP" });
  await japanese.goto("/settings/mcp");
  const japaneseRow = rowOf(japanese.page, "memory を有効にする");
  await expect(japaneseRow.getByText("利用可能")).toBeVisible();
  await expect(japaneseRow.getByText("待機中、必要なときに起動")).toBeVisible();
});
