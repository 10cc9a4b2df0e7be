import type { z } from "zod";
import type { ImportPreview, ImportResult, SkipCode } from "@/lib/protocol/imports";
import type { FileDeps } from "@/lib/server/attachments/attachments";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { ImportQuery } from "@/lib/server/contract/conversations";
import { HttpError } from "@/lib/server/http/errors";
import { streamEvents, wantsEvents } from "@/lib/server/http/event-stream";
import { failureOfStore } from "@/lib/server/http/store-failure";
import { ConversationWriter } from "./conversation-writer";
import { eachItem, type OnProgress, shownTitle } from "./each-item";
import type { ImportFolder } from "./import-folder";
import type { ImportedConversation } from "./imported";
import type { WriteResult } from "./prepare-conversation";
import { previewExport } from "./preview-export";
import { type OpenExport, openExport } from "./read-export";
import { LeftOuts } from "./shape";

export type ImportDeps = FileDeps & Pick<BaseDeps, "log"> & { imports: ImportFolder };

/** What an answer lists; the rest is counted. */
const maxSkipped = 200;
const maxIds = 10_000;

/** Stores the conversations of an export, or says what that would do. The file is gone when it answers. */
export async function importConversations(
  deps: ImportDeps,
  userId: string,
  request: Request,
  { preview }: z.output<typeof ImportQuery>,
): Promise<unknown> {
  const { signal: stopped, end } = deps.imports.begin(userId);
  let path: string | undefined;
  const finish = async () => {
    if (path !== undefined) await deps.imports.remove(path);
    end();
  };
  try {
    path = await deps.imports.receive(request, stopped);
    const signal = AbortSignal.any([request.signal, stopped]);
    const file = path;
    const work = (told: AbortSignal, onProgress?: OnProgress) =>
      withExport<ImportPreview | ImportResult>(file, (found) =>
        preview
          ? previewExport(deps, userId, found, told, onProgress)
          : storeExport(deps, userId, found, told, onProgress),
      );
    if (!wantsEvents(request)) return await work(signal).finally(finish);
    return streamEvents(signal, async (to) => {
      try {
        to.tell("result", await work(to.signal, (progress) => to.hasRoom && to.tell("progress", progress)));
      } catch (cause) {
        if (!to.signal.aborted) to.tell("error", await toError(deps, cause));
      } finally {
        await finish();
      }
    });
  } catch (cause) {
    await finish();
    throw cause;
  }
}

/** The same as the body of an answer that is no success. */
async function toError(deps: ImportDeps, cause: unknown): Promise<unknown> {
  const known = cause instanceof HttpError ? cause : failureOfStore(cause);
  if (!(cause instanceof HttpError)) deps.log.error({ err: cause }, "an import has failed");
  const said =
    known ?? new HttpError(500, "internal", "Something went wrong on our side; the log says more.");
  return said.toResponse().json();
}

async function withExport<Value>(path: string, work: (found: OpenExport) => Promise<Value>): Promise<Value> {
  const found = await openExport(path);
  try {
    return await work(found);
  } finally {
    found.close();
  }
}

async function storeExport(
  deps: ImportDeps,
  userId: string,
  found: OpenExport,
  signal: AbortSignal,
  onProgress?: OnProgress,
): Promise<ImportResult> {
  const tally = new Tally(found.others);
  const writer = new ConversationWriter(deps, userId, (conversation, result) =>
    tally.written(conversation, result),
  );
  try {
    await eachItem(found, signal, onProgress, async (item) => {
      if (item.kind !== "conversation") return tally.skip(item.title, item.kind);
      await writer.add(item.conversation);
    });
  } finally {
    // What came before the place where a file is damaged or somebody cancels has been told of, and stays.
    await writer.flush();
  }
  return tally.result();
}

const reasons: Record<SkipCode, string> = {
  already_here: "It is here already.",
  continued_since: "It was continued here since; it is left as it is here.",
  changed_since: "It reads differently in the file than it was imported; it is left as it is here.",
  empty: "It has no messages.",
  broken: "It cannot be read.",
  too_large: "It is too large; a conversation may have 32 MB and 20,000 messages.",
};

/** What became of the conversations of a file. */
class Tally {
  private readonly told: Omit<ImportResult, "leftOut"> = {
    imported: 0,
    extended: 0,
    skipped: [],
    skippedCount: 0,
    conversationIds: [],
  };
  private readonly left = new LeftOuts();

  constructor(others: OpenExport["others"]) {
    this.left.add("other_file", others.other_file);
    this.left.add("unsafe_name", others.unsafe_name);
  }

  written(conversation: ImportedConversation, result: WriteResult): void {
    switch (result.outcome) {
      case "imported":
      case "extended":
        this.add(result.conversationId, result.outcome === "extended");
        this.leaveOut(conversation.leftOut);
        this.leaveOut(result.leftOut);
        break;
      case "already_here":
      case "continued_since":
      case "changed_since":
      case "empty":
      case "too_large":
        this.skip(conversation.title, result.outcome);
    }
  }

  private add(conversationId: string, isExtended: boolean): void {
    this.told.imported++;
    if (isExtended) this.told.extended++;
    if (this.told.conversationIds.length < maxIds) this.told.conversationIds.push(conversationId);
  }

  skip(title: string, code: SkipCode): void {
    if (this.told.skippedCount++ < maxSkipped)
      this.told.skipped.push({ title: shownTitle(title), code, reason: reasons[code] });
  }

  private leaveOut(left: ImportResult["leftOut"]): void {
    for (const { what, count } of left) this.left.add(what, count);
  }

  result(): ImportResult {
    return { ...this.told, leftOut: this.left.list() };
  }
}
