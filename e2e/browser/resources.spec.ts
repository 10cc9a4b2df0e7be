import { expectAccessible } from "../support/check-page";
import { expect, test } from "../support/test";

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

test("what a tool means for the user alone is shown as that", async ({ chat }) => {
  await chat.goto("/");
  await chat.ask('/tool everything__get-annotated-message {"messageType": "success"}');
  await chat.finished();
  await chat.toolLine("everything get-annotated-message, done, ").click();
  await expect(chat.lastTurn.getByText("For you alone; the model does not read it.")).toBeVisible();
  await expect(chat.lastTurn.getByText("Operation completed successfully").first()).toBeVisible();
});
