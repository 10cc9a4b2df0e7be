import { expectAccessible } from "../support/check-page";
import { everythingOverStdio } from "../support/everything";
import { expect, serversReady, test } from "../support/test";

test("a resource that a tool points to is opened through its server, on a click only", async ({
  chat,
  page,
}) => {
  await chat.goto("/");
  await chat.ask('/tool everything__get-resource-links {"count": 2}');
  await chat.finished();
  await chat.toolLine("everything get-resource-links, done, ").click();
  const open = chat.lastTurn.getByRole("button", { name: "Open", exact: true });
  await expect(open).toHaveCount(2);
  await expect(chat.lastTurn.getByText("This is a plaintext resource")).toHaveCount(0);
  await open.last().click();
  await expect(chat.lastTurn.getByText(/This is a plaintext resource/).first()).toBeVisible();
  await expect(open).toHaveCount(1);
  await expectAccessible(page);
  await chat.lastTurn.getByRole("button", { name: "Close", exact: true }).click();
  await expect(open).toHaveCount(2);
});

test("an open resource says that it has changed on its server, and is read again", async ({
  start,
  open,
}) => {
  const app = await start({ mcpConfig: { mcpServers: { everything: everythingOverStdio } } });
  await serversReady(app);
  const chat = await open(app);
  await chat.goto("/");
  await chat.ask('/tool everything__get-resource-links {"count": 1}');
  await chat.finished();
  await chat.toolLine("everything get-resource-links, done, ").click();
  await chat.lastTurn.getByRole("button", { name: "Open", exact: true }).click();
  const changed = chat.lastTurn.getByText("It has changed on the server.");
  const logs = async () => (await app.fetch("/api/mcp/servers/everything/logs")).text();
  await expect.poll(logs).toContain("Received Subscribe Resource request");
  await expect(changed).toHaveCount(0);
  await app.fetch("/api/mcp/servers/everything/tools/toggle-subscriber-updates/call", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ args: {} }),
  });
  await expect(changed).toBeVisible();
  await expectAccessible(chat.page);
  await chat.lastTurn.getByRole("button", { name: "Reload" }).click();
  await expect(changed).toHaveCount(0);
  await chat.lastTurn.getByRole("button", { name: "Close", exact: true }).click();
  await expect.poll(logs).toContain("Received Unsubscribe Resource request");
});

test("what a tool means for the user alone is shown as that", async ({ chat }) => {
  await chat.goto("/");
  await chat.ask('/tool everything__get-annotated-message {"messageType": "success"}');
  await chat.finished();
  await chat.toolLine("everything get-annotated-message, done, ").click();
  await expect(chat.lastTurn.getByText("Only for you; the model doesn’t see it.")).toBeVisible();
  await expect(chat.lastTurn.getByText("Operation completed successfully").first()).toBeVisible();
});
