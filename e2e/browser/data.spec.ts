import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/test";

test("what takes space is shown, and a retention that would delete something asks before", async ({
  open,
  start,
}) => {
  const app = await start(noServers);
  const chat = await open(app);
  const { page } = chat;
  const retention = async () => (await apiOf(app).get<{ retention: object }>("/api/settings")).retention;
  await chat.goto("/");
  await chat.ask("Hi");
  await chat.finished();
  await chat.goto("/settings/data");
  const space = page.getByRole("region", { name: "Space" });
  await expect(space.getByText("Recorded runs")).toBeVisible();
  await expect(space.getByText(/free on the disk/)).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel("Space limit (MB)").fill("2");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Must be between 10 and 1,000,000,000")).toBeVisible();
  await page.getByLabel("Space limit (MB)").fill("");
  await page.getByText("90 days").click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Retention saved.")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("radio", { name: "90 days" })).toBeChecked();

  // Nothing here is old enough, so this answer is a made-up one.
  await page.route("**/api/data/usage?days=30", (route) =>
    route.fulfill({ json: { wouldDelete: { conversations: 3, bytes: 2_500_000, isCut: false } } }),
  );
  await page.getByText("30 days").click();
  await page.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 3 conversations?" });
  await expect(dialog).toContainText("About 2.5 MB");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toHaveCount(0);
  expect(await retention()).toEqual({ days: 90 });
  await page.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: "Save and delete" }).click();
  await expect(page.getByText("Retention saved.")).toBeVisible();
  expect(await retention()).toEqual({ days: 30 });

  await page.setViewportSize({ width: 390, height: 800 });
  await expectNoSidewaysScroll(page);
});
