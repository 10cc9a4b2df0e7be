import { createWriteStream, existsSync, openAsBlob, rmSync } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SetupError } from "../setup-error.mjs";
import { expectOk, withInstance } from "./instance.mjs";

/** Brings the conversations of a file in, and says what became of them. */
export async function importFile(call) {
  const path = fileOf(call.rest, "meguri import <file>");
  if (!existsSync(path)) throw new SetupError(`There is no file ${path}.`);
  await withInstance(call, async (instance) => {
    const response = await instance.call("/api/conversations/import", {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: await openAsBlob(path),
    });
    const { imported, extended, skipped, skippedCount } = await (await expectOk(response)).json();
    console.log(`Imported: ${imported}. Extended: ${extended}. Left out: ${skippedCount}.`);
    for (const { title, reason } of skipped) console.error(`${JSON.stringify(title)}: ${reason}`);
  });
}

/** Writes all conversations into a new file, or leaves nothing of it. */
export async function exportFile(call) {
  const path = fileOf(call.rest, "meguri export <file>");
  await withInstance(call, async (instance) => {
    const response = await expectOk(await instance.call("/api/export"));
    const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
    await pipeline(Readable.fromWeb(response.body), file).catch((error) => {
      if (error.code === "EEXIST")
        throw new SetupError(`${path} is there already, and is not overwritten: choose another name.`);
      rmSync(path, { force: true });
      throw new SetupError(`${path} cannot be written (${error.message}). Nothing was kept.`);
    });
    console.log(`${path} is written: ${response.headers.get("x-export-conversations")} conversations.`);
  });
}

function fileOf([file, ...more], usage) {
  if (!file || more.length > 0) throw new SetupError(`Name one file: ${usage}`);
  return resolve(file);
}
