import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { callTools, say } from "@/lib/providers/testing/steps";
import { startPlaywrightMcp } from "../support/playwright-mcp";
import { expect, serversReady, test } from "../support/test";

const page = `<!doctype html><title>Kettle</title><h1>The kettle is cold</h1>
<button onclick="document.querySelector('h1').textContent = 'The kettle is hot'">Heat it</button>`;

let site: Server;
let browser: Awaited<ReturnType<typeof startPlaywrightMcp>>;

test.describe.configure({ mode: "default" });

test.beforeAll(async () => {
  site = createServer((_request, response) =>
    response.setHeader("content-type", "text/html; charset=utf-8").end(page),
  );
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  browser = await startPlaywrightMcp();
});

test.afterAll(async () => {
  await browser.end();
  site.closeAllConnections();
  site.close();
});

for (const wire of ["stdio", "http"] as const)
  test(`the browser of @playwright/mcp over ${wire}: a model opens a page, looks, presses a button and sees what came of it`, async ({
    startWithModel,
    open,
  }) => {
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    const { app, model } = await startWithModel(
      ({ toolResults }) => {
        switch (toolResults.length) {
          case 0:
            return [callTools({ name: "browser__browser_navigate", args: { url }, id: "call_0" })];
          case 1:
            return [callTools({ name: "browser__browser_snapshot", id: "call_1" })];
          case 2: {
            const ref = /button "Heat it".*?\[ref=(\w+)\]/.exec(toolResults[1] ?? "")?.[1];
            const args = { element: "the button", target: ref };
            return [callTools({ name: "browser__browser_click", args, id: "call_2" })];
          }
          case 3:
            return [callTools({ name: "browser__browser_snapshot", id: "call_3" })];
          default:
            return [say(`I see: ${/heading "([^"]+)"/.exec(toolResults[3] ?? "")?.[1]}.`)];
        }
      },
      { env: { TOOL_APPROVAL: "allow" }, mcpConfig: { mcpServers: { browser: browser[wire] } } },
    );
    await serversReady(app);
    const chat = await open(app);
    await chat.goto("/");
    await chat.ask("Heat the kettle");
    await expect(chat.lastTurn.getByText("I see: The kettle is hot.")).toBeVisible({ timeout: 90_000 });
    await chat.finished();
    expect(model.requests.at(-1)?.toolResults[1]).toContain("The kettle is cold");
    await chat.toolLine("browser browser_navigate, done, ").click();
    await expect(chat.lastTurn.getByText(/Page Title: Kettle/).first()).toBeVisible();
  });

test("filesystem, memory and sequential-thinking each do their work in one answer", async ({
  startWithModel,
  open,
}) => {
  const entity = { name: "fox", entityType: "animal", observations: ["is red"] };
  const thought = { thought: "One step.", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
  const { app, model } = await startWithModel(
    [
      [
        callTools(
          { name: "filesystem__write_file", args: { path: "note.md", content: "Tea." }, id: "call_0" },
          { name: "memory__create_entities", args: { entities: [entity] }, id: "call_1" },
          { name: "sequential-thinking__sequentialthinking", args: thought, id: "call_2" },
        ),
      ],
      [callTools({ name: "memory__search_nodes", args: { query: "fox" }, id: "call_3" })],
      [say("All three did.")],
    ],
    { env: { TOOL_APPROVAL: "allow" } },
  );
  await serversReady(app);
  const chat = await open(app);
  await chat.goto("/");
  await chat.ask("Work");
  await chat.finished();
  await expect(chat.lastTurn.getByText("All three did.")).toBeVisible();
  for (const line of [
    "filesystem write_file",
    "memory create_entities",
    "sequential-thinking sequentialthinking",
    "memory search_nodes",
  ])
    await expect(chat.toolLine(`${line}, done, `)).toBeVisible();
  expect(readFileSync(join(app.sandbox, "note.md"), "utf8")).toBe("Tea.");
  expect(model.requests.at(-1)?.toolResults.join("\n")).toContain("is red");
});
