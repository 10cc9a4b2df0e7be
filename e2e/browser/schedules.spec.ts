import type { Route } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

test("a schedule is made, asked now, turned off and deleted; a trigger shows its address once", async ({
  chat,
  app,
  page,
}) => {
  await chat.goto("/settings/schedules");
  await expect(page.getByText("No schedules yet.")).toBeVisible();
  await page.getByRole("button", { name: "New schedule" }).click();
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await field("Name").fill("Weekly numbers");
  await field("Ask").fill("Say the numbers.");
  await field("When").fill("* * * * * *");
  await field("Time zone").fill("Asia/Tokyo");
  await expect(page.getByText(/^When: must have five fields .* no seconds/)).toBeVisible();
  const save = page.getByRole("button", { name: "Save" });
  await save.click();
  await expect(field("When")).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByText(/^Must have five fields .* no seconds/)).toBeVisible();

  // What is refused late is no fault of what stands there by then.
  let held = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    await held.promise;
    await route.continue();
  };
  await page.route("**/api/schedules", hold);
  const refused = page.waitForResponse((answer) => answer.url().endsWith("/api/schedules"));
  await save.click();
  await field("When").fill("30 7 * * 1");
  held.resolve();
  expect((await refused).status()).toBe(400);
  await page.unroute("**/api/schedules", hold);
  const told = page.locator("[data-failed]");
  await expect(told.getByText(/^Must have five fields .* no seconds/)).toBeVisible();
  await told.getByRole("button").click();
  await expect(field("When")).not.toHaveAttribute("aria-invalid", "true");
  await expect(page.getByText("Mondays at 7:30 AM", { exact: true })).toBeVisible();
  await expect(page.getByText(/^Next: .* · .* · /)).toBeVisible();

  // What is typed while it is made stays, and while another one is begun.
  held = Promise.withResolvers<void>();
  await page.route("**/api/schedules", hold);
  await save.click();
  await field("Ask").fill("Say the numbers. Be brief.");
  held.resolve();
  await expect(page.getByText("Weekly numbers saved")).toBeVisible();
  await page.unroute("**/api/schedules", hold);
  await expect(field("Ask")).toHaveValue("Say the numbers. Be brief.");
  await page.getByRole("button", { name: "New schedule" }).click();
  await expect(field("Ask")).toHaveValue("");
  await page
    .getByRole("listitem")
    .getByRole("button", { name: /Weekly numbers/ })
    .click();
  await expect(field("Ask")).toHaveValue("Say the numbers. Be brief.");
  await save.click();
  await expect(save).toBeDisabled();
  await expect(page.getByText(/^Next: .* · .* · /)).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  await page.getByRole("button", { name: "Ask now" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "Mondays at 7:30 AM" });
  await expect(row.getByText(/^last: /)).toBeVisible();
  const runs = page.getByRole("heading", { name: "Last runs" });
  await expect(runs).toBeVisible();
  await row.getByRole("switch").click();
  await expect(row.getByText("Mondays at 7:30 AM, off")).toBeVisible();

  await page.getByRole("button", { name: "New trigger" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("A build failed");
  await dialog.getByLabel("Ask", { exact: true }).fill("Why did {{body.name}} fail?");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create" }).click();
  const address = page.getByRole("dialog").getByLabel("Address", { exact: true });
  await expect(address).toHaveValue(/\/api\/triggers\/mgt_[\w-]{43}$/);
  const path = new URL(await address.inputValue()).pathname;
  const called = await fetch(app.ownUrl + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "main" }),
  });
  expect(called.status).toBe(202);
  await page.getByRole("button", { name: "Done" }).click();
  const triggers = page.getByRole("region", { name: "Triggers" });
  await expect(triggers.getByText(/^last: /)).toBeVisible();
  await triggers.getByRole("button", { name: "Change A build failed" }).click();
  await dialog.getByLabel("Ask", { exact: true }).fill("What is wrong with {{body.name}}?");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(triggers.getByText("What is wrong with")).toBeVisible();
  await triggers.getByRole("button", { name: "Delete A build failed" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(triggers.getByText("No triggers yet.")).toBeVisible();
  await expect(triggers.getByRole("button", { name: "New trigger" })).toBeFocused();

  await page.getByRole("button", { name: "Delete", exact: true }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Weekly numbers deleted")).toBeVisible();
  await expect(page.getByText("No schedules yet.")).toBeVisible();
  await expect(page.getByRole("button", { name: "New schedule" })).toBeFocused();
  await chat.goto("/");
  await expect(chat.conversation(/Weekly numbers/)).toBeVisible();
  await expect(chat.conversation(/A build failed/)).toBeVisible();
});
