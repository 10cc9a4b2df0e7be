import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";

/** An archive of these entries; `mode` as Unix has it. */
export async function zipOf(
  entries: readonly (readonly [name: string, content: string | Uint8Array, mode?: number])[],
): Promise<Buffer<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const [name, content, mode = 0o100644] of entries)
    zip.addBuffer(Buffer.from(content as string), name, { mode });
  zip.end();
  return Buffer.from(await buffer(zip.outputStream));
}

/** The same with another name in every place where this one stands: what no honest program writes. */
export function renamed(zip: Buffer<ArrayBuffer>, from: string, to: string): Buffer<ArrayBuffer> {
  if (from.length !== to.length) throw new Error("Names in an archive have their length beside them.");
  return Buffer.from(zip.toString("latin1").replaceAll(from, to), "latin1");
}
