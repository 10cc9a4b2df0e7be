import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import type { z } from "zod";
import {
  conversationFileVersion,
  type ExportManifest,
  type ExportSkipped,
} from "@/lib/protocol/conversation-file";
import type { ExportAllQuery } from "@/lib/server/contract/exports";
import { notFound } from "@/lib/server/http/errors";
import type { AttachmentRow } from "@/lib/store/types";
import { conversationJson, type ExportDeps, openExport } from "./conversation-json";
import { answerFile, type Pieces } from "./file-answer";
import { fileName } from "./file-name";

type Listed = Awaited<ReturnType<ExportDeps["store"]["outlines"]["all"]>>[number];
type Skipped = ExportSkipped["skipped"];

/**
 * All conversations, or some of them, as one zip: `meguri.json` first, then each conversation and its files. The headers say
 * how much is to come, which no length can: it is packed while it is sent.
 */
export async function exportAll(
  deps: ExportDeps,
  userId: string,
  { ids }: z.output<typeof ExportAllQuery>,
): Promise<Response> {
  const listed = await deps.store.outlines.all(userId, ids);
  if (ids && listed.length === 0) throw notFound("conversation");
  const attachments = await deps.store.outlines.files(
    userId,
    listed.map(({ id }) => id),
  );
  const manifest: ExportManifest = {
    meguri: "export",
    version: conversationFileVersion,
    exportedAt: new Date().toISOString(),
    conversations: listed.map(({ id, title, updatedAt }) => ({
      id,
      title,
      updatedAt: new Date(updatedAt).toISOString(),
      path: pathOf(id),
    })),
    attachments,
  };
  return answerFile(
    { log: deps.log, slots: deps.files.exports },
    {
      name: `meguri-${manifest.exportedAt.slice(0, 10)}.zip`,
      type: "application/zip",
      pieces: zipOf(deps, userId, manifest, listed),
      headers: {
        "X-Export-Conversations": String(listed.length),
        "X-Export-Attachment-Bytes": String(attachments.bytes),
      },
    },
  );
}

const pathOf = (id: string) => `conversations/${id}.json`;

/** The bytes of the zip as they are taken; whoever takes no more ends the work. */
async function* zipOf(
  deps: ExportDeps,
  userId: string,
  manifest: ExportManifest,
  listed: readonly Listed[],
): Pieces {
  const zip = new ZipWriter();
  const work = fill(zip, deps, userId, manifest, listed).catch((cause) => zip.fail(cause));
  try {
    yield* zip.bytes();
  } finally {
    zip.stop();
    await work;
  }
}

async function fill(
  zip: ZipWriter,
  deps: ExportDeps,
  userId: string,
  manifest: ExportManifest,
  listed: readonly Listed[],
): Promise<void> {
  await zip.add("meguri.json", [JSON.stringify(manifest, null, 1)]);
  const skipped: Skipped = [];
  for (const { id, title } of listed) {
    if (zip.isStopped) return;
    const reason = await addConversation(zip, deps, userId, id);
    if (reason) skipped.push({ id, title, reason });
  }
  if (skipped.length > 0) await zip.add("skipped.json", [JSON.stringify({ skipped }, null, 1)]);
  zip.end();
}

/** Its JSON and its files; why it is missing, or ends where it could not be read on. */
async function addConversation(
  zip: ZipWriter,
  deps: ExportDeps,
  userId: string,
  id: string,
): Promise<Skipped[number]["reason"] | undefined> {
  try {
    const exported = await openExport(deps, userId, id);
    if (!exported) return "deleted";
    const there: AttachmentRow[] = [];
    for (const file of exported.files) if (await deps.files.has(file.id)) there.push(file);
    const placeOf = (file: AttachmentRow) => (there.includes(file) ? { path: pathOfFile(file) } : {});
    await zip.add(pathOf(id), await readAhead(conversationJson(deps, exported, placeOf)));
    for (const file of there) await zip.add(pathOfFile(file), deps.files.pieces(file.id), !isPacked(file));
    return undefined;
  } catch (cause) {
    if (cause instanceof Error && cause.name === "DeletedMeanwhile") return "deleted";
    deps.log.error({ err: cause, conversationId: id }, "a conversation is missing in an export");
    return "damaged";
  }
}

const pathOfFile = ({ id, name }: AttachmentRow) =>
  `attachments/${id}/${fileName(name.replace(/\.\w+$/, ""), /\.(\w+)$/.exec(name)?.[1] ?? "bin")}`;

/** What would not become smaller. */
const isPacked = ({ mediaType }: AttachmentRow) =>
  /^(image|video|audio)\/|zip|pdf|officedocument/.test(mediaType);

/** Characters of a conversation that are made before its entry begins: most are known to be whole by then. */
const aheadCharacters = 1_000_000;

/** What fails within the first pieces leaves no broken entry behind. */
async function readAhead(pieces: AsyncGenerator<string, void>): Promise<AsyncIterable<string>> {
  const ahead: string[] = [];
  let length = 0;
  while (length < aheadCharacters) {
    const { done, value } = await pieces.next();
    if (done) break;
    ahead.push(value);
    length += value.length;
  }
  return (async function* () {
    yield* ahead;
    yield* pieces;
  })();
}

/** A zip that is written an entry at a time, as fast as it is read. */
class ZipWriter {
  isStopped = false;
  private readonly zip = new ZipFile();
  private source: Readable | undefined;
  private stopWaiting: (() => void) | undefined;

  /** Resolves when the entry is written, or nobody reads any more; rejects where its pieces fail: the entry ends there. */
  async add(
    path: string,
    pieces: Iterable<string> | AsyncIterable<string | Uint8Array>,
    compress = true,
  ): Promise<void> {
    if (this.isStopped) return;
    let failure: { cause: unknown } | undefined;
    const caught = async function* () {
      try {
        for await (const piece of pieces) yield typeof piece === "string" ? Buffer.from(piece) : piece;
      } catch (cause) {
        // A stream that fails would end the process: nobody in the library listens.
        failure = { cause };
      }
    };
    const source = Readable.from(caught(), { objectMode: false, highWaterMark: 64 * 1024 });
    this.source = source;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.stopWaiting = resolve;
    source.once("close", resolve);
    this.zip.addReadStream(source, path, { compress });
    await promise;
    if (failure) throw failure.cause;
  }

  end(): void {
    if (!this.isStopped) this.zip.end();
  }

  fail(cause: unknown): void {
    (this.zip.outputStream as Readable).destroy(cause as Error);
  }

  bytes(): AsyncIterable<Buffer> {
    return this.zip.outputStream as Readable;
  }

  /** Closes what it reads from. */
  stop(): void {
    this.isStopped = true;
    this.source?.destroy();
    this.stopWaiting?.();
  }
}
