import type { Page } from "@playwright/test";

/** Chooses from the menu behind "…" of the page. */
export async function chooseMore(page: Page, item: string, more = "More"): Promise<void> {
  await page.getByRole("button", { name: more, exact: true }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}
