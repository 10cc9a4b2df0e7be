import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { noisyPng, pdfOf } from "@/lib/providers/testing/files";
import { callTools, say } from "@/lib/providers/testing/steps";
import { expectAccessible } from "../support/check-page";
import { shareEverything } from "../support/share-everything";
import { expect, serversReady, test } from "../support/test";

const png = noisyPng(60);
const longName = "a long name of a list that somebody has made in a hurry.csv";

/** As from the clipboard or from the desktop; the browser lets no script make a trusted one. */
async function hand(page: Page, kind: "paste" | "drop", name: string, type: string, bytes: Buffer) {
  await page.evaluate(
    ([kind, name, type, base64]) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      data.items.add(new File([bytes], name, { type }));
      const options = { bubbles: true, cancelable: true };
      if (kind === "paste")
        document.activeElement?.dispatchEvent(
          new ClipboardEvent("paste", { ...options, clipboardData: data }),
        );
      else
        for (const step of ["dragover", "drop"])
          document.body.dispatchEvent(new DragEvent(step, { ...options, dataTransfer: data }));
    },
    [kind, name, type, bytes.toString("base64")] as const,
  );
}

test("files are chosen, pasted and dropped, survive a reload, and go to the model", async ({
  chat,
  page,
  model,
}) => {
  model.script = [[say("A dot, an invoice and a list.")]];
  await chat.goto("/");
  await chat.chooseModel("vision-model");
  await chat.message.focus();
  await hand(page, "paste", "dot.png", "image/png", png);
  await hand(page, "drop", "list.csv", "text/csv", Buffer.from("name\nMia"));
  await hand(page, "drop", longName, "text/csv", Buffer.from("name\nAnn"));
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await (await chooser).setFiles({
    name: "invoice.pdf",
    mimeType: "application/pdf",
    buffer: pdfOf("Invoice 4711"),
  });
  const attached = page.getByRole("list", { name: "Files of this message" });
  await expect(attached.getByRole("listitem")).toHaveText([
    /dot\.png/,
    /^list\.csv/,
    /^a long/,
    /invoice\.pdf/,
  ]);
  await expect(attached.getByRole("progressbar")).toHaveCount(0);
  await expectAccessible(page);
  await page.reload();
  await expect(attached.getByRole("listitem")).toHaveCount(4);
  await attached.getByRole("button", { name: "Remove list.csv" }).click();
  await chat.ask("What are these?");
  await chat.finished();
  await expect(attached).toHaveCount(0);
  const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
  expect(sent).toContain(png.toString("base64"));
  expect(sent).toContain("Invoice 4711");
  expect(sent).not.toContain("Mia");
  const image = chat.lastTurn.getByRole("img", { name: "dot.png" });
  await expect.poll(() => image.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(60);
  await expect(chat.lastTurn.getByRole("link", { name: /^invoice\.pdf/ })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  const show = chat.lastTurn.getByRole("button", { name: `Show ${longName}` });
  const rightEdge = async () => {
    const box = await show.boundingBox();
    return box && box.x + box.width;
  };
  await expect.poll(rightEdge).toBeLessThanOrEqual(390);
});

test("a question waits for its files unless it is changed, and asked differently it keeps them", async ({
  chat,
  page,
  model,
}) => {
  model.script = [[say("A dot.")]];
  await chat.goto("/");
  await chat.chooseModel("vision-model");
  const arrives = Promise.withResolvers<void>();
  await page.route("**/api/attachments", (route) => arrives.promise.then(() => route.continue()));
  await chat.message.focus();
  await hand(page, "paste", "dot.png", "image/png", png);
  await chat.message.fill("What is");
  await chat.message.press("Enter");
  const held = page.getByText("Sends when the files are uploaded.");
  await expect(held).toBeVisible();
  await chat.message.fill("What is it?");
  await expect(held).toHaveCount(0);
  await chat.message.press("Enter");
  await expect(held).toBeVisible();
  await page.getByRole("button", { name: "Remove dot.png" }).click();
  await expect(held).toHaveCount(0);
  await hand(page, "drop", "dot.png", "image/png", png);
  await chat.message.press("Enter");
  await expect(held).toBeVisible();
  arrives.resolve();
  await chat.finished();
  await chat.lastTurn.getByText("What is it?").hover();
  await chat.lastTurn.getByRole("button", { name: "Edit question" }).click();
  const field = page.getByRole("textbox", { name: "Edit question" });
  await field.fill("Which colour?");
  await field.press("Control+Enter");
  await expect(chat.lastTurn.getByText("Which colour?")).toBeVisible();
  await chat.finished();
  await expect(chat.lastTurn.getByRole("img", { name: "dot.png" })).toBeVisible();
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain(png.toString("base64"));
});

test("a model that cannot see is told that there is an image, and so is the person", async ({
  chat,
  page,
  model,
}) => {
  model.script = [[say("I see none.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await hand(page, "drop", "dot.png", "image/png", png);
  await expect(
    page.getByText("test-model may not see images; it is only told that there is one."),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: "Send" })).toBeEnabled();
  await page.getByRole("button", { name: "Send" }).click();
  await chat.finished();
  const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
  expect(sent).toContain("[File dot.png, image/png: this model cannot read it.]");
  expect(sent).not.toContain(png.toString("base64"));
});

test("what cannot be attached says why beside its name, and nothing is lost", async ({ chat, page }) => {
  await chat.goto("/");
  await chat.message.fill("Read this");
  await hand(page, "drop", "report.pdf", "application/pdf", Buffer.from("no PDF at all"));
  await expect(page.getByRole("alert").getByText(/report\.pdf is not a PDF/)).toBeVisible();
  await hand(page, "drop", "huge.png", "image/png", Buffer.alloc(21 * 1024 * 1024));
  await expect(page.getByRole("listitem").filter({ hasText: "huge.png" })).toContainText("is over 20 MB");
  await expect(chat.message).toHaveValue("Read this");
  await page.getByRole("button", { name: "Remove report.pdf" }).click();
  await page.getByRole("button", { name: "Remove huge.png" }).click();
  await expect(page.getByRole("list", { name: "Files of this message" })).toHaveCount(0);
});

test("a large image of a tool is kept beside the log, shown, and sent back to the model", async ({
  chat,
  page,
  app,
  model,
  open,
}) => {
  await serversReady(app);
  const big = noisyPng(220);
  const path = join(app.sandbox, "noise.png");
  await writeFile(path, big);
  model.script = [[callTools({ name: "filesystem__read_media_file", args: { path } })], [say("Noise.")]];
  await chat.goto("/");
  await chat.chooseModel("vision-model");
  await chat.ask("Look at noise.png");
  await chat.finished();
  await chat.toolLine("filesystem read_media_file, done").click();
  const shown = chat.lastTurn.getByRole("link", { name: /^Open / }).getByRole("img");
  await expect(shown).toHaveAttribute("src", /^\/api\/attachments\//);
  await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(220);
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain(big.toString("base64"));
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: /^(Share conversation|Link created)$/ });
  await expect(dialog.getByRole("button", { name: "Create link" })).toBeEnabled();
  await shareEverything(dialog);
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = await dialog.getByRole("textbox").inputValue();
  const stranger = await open(app, { stranger: true });
  await stranger.page.goto(link);
  await stranger.page.locator("summary").filter({ hasText: "read_media_file" }).click();
  const public_ = stranger.page.getByRole("link", { name: /^Open / }).getByRole("img");
  await expect(public_).toHaveAttribute("src", /^\/api\/share\//);
  await expect.poll(() => public_.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(220);
});
