import type { Locator } from "@playwright/test";

/** Chooses in the dialog that calls, reasoning and files are shown in full. */
export async function shareEverything(dialog: Locator): Promise<void> {
  const calls = dialog.getByRole("group", { name: "Tool calls" });
  if (await calls.isVisible()) await calls.getByText("full", { exact: true }).click();
  for (const name of ["Reasoning", "Files and their names"]) {
    const choice = dialog.getByRole("switch", { name });
    if ((await choice.getAttribute("aria-checked")) !== "true") await choice.click();
  }
}
