import { expect, type Locator } from "@playwright/test";

/** Tries a server of one model in the form of a provider or an endpoint, then saves it. */
export async function saveModelServer(form: Locator, address: string): Promise<void> {
  await form.getByLabel("Address").fill(address);
  await form.getByRole("button", { name: "Test" }).click();
  await expect(form.getByRole("status")).toHaveText("Connected: one model.");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toHaveCount(0);
}
