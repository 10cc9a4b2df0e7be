import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { openReceiver } from "../support/receiver";
import { expect, test } from "../support/test";

test("a hook is added, shows its secret once, is tried, told of an answer, switched off and deleted", async ({
  start,
  open,
}) => {
  using receiver = await openReceiver(500, 200);
  const app = await start({
    ...noServers,
    env: { PRIVATE_HOSTS: "127.0.0.1:*", DEFAULT_MODEL: "demo/demo" },
  });
  const chat = await open(app);
  const { page } = chat;
  const dialog = page.getByRole("dialog");
  const place = receiver.url.replace("http://", "");

  await chat.goto("/settings/hooks");
  await expect(page.getByText("No hooks yet.")).toBeVisible();
  await page.getByRole("button", { name: "Add a hook" }).click();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.getByText("Enter the address.")).toBeVisible();
  await dialog.getByLabel("Address").fill("http://hooks.example/x");
  await dialog.getByLabel("Address").press("Enter");
  await expect(dialog.getByText(/^Use https:/)).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel("Address").fill(receiver.url);
  await dialog.getByRole("checkbox", { name: /failed/ }).uncheck();
  await dialog.getByLabel("Address").press("Enter");
  await expect(dialog.getByLabel("Secret", { exact: true })).toHaveValue(/^whsec_/);
  await dialog.getByRole("button", { name: "Done" }).click();

  const deliveries = page.getByRole("region", { name: /^Deliveries to 127\.0\.0\.1/ });
  await expect(deliveries.getByText(`Nothing has been sent to ${place} yet.`)).toBeVisible();
  await deliveries.getByRole("button", { name: "Send a test" }).click();
  await expect(deliveries.getByText("500, “as asked”").last()).toBeVisible();
  await expectAccessible(page);
  await deliveries.getByRole("button", { name: /^Send again: / }).click();
  await expect(deliveries.getByText("200", { exact: true })).toBeVisible();

  await app.fetch("/api/chat", {
    ...{ method: "POST", headers: { "content-type": "application/json" } },
    body: JSON.stringify({ message: { text: "Hello" } }),
  });
  await expect(deliveries.getByRole("link", { name: "run.completed" })).toBeVisible();
  await expect(page.getByText("1, all arrived").last()).toBeVisible();
  await expectNoSidewaysScroll(page);

  const isOn = page.getByRole("switch", { name: `${place} is told` });
  await isOn.click();
  await expect(isOn).not.toBeChecked();
  await deliveries.getByRole("button", { name: "Change" }).click();
  await expect(dialog.getByRole("checkbox", { name: /failed/ })).not.toBeChecked();
  await dialog.getByRole("checkbox", { name: /is done/ }).uncheck();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("listitem").filter({ has: isOn })).toContainText("waits");

  await deliveries.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No hooks yet.")).toBeVisible();
});
