import type { z } from "zod";
import type { StoredMessage } from "@/lib/protocol/http";
import type { ChatMessage, ToolContent } from "@/lib/protocol/message";
import { copyBareAttachment } from "@/lib/server/attachments/attachments";
import { sendAttachmentText, sendBareAttachment } from "@/lib/server/attachments/send-attachment";
import type { SharedQuery } from "@/lib/server/contract/conversations";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import type { ConversationRow, MessageRow } from "@/lib/store/types";
import { readShare, type SharedPage, sharedFiles } from "./read-share";
import { type ShareFileWords, shareFile } from "./share-file";
import type { ShareDeps } from "./snapshot";

/** Shared pages are for people with the link, not for search engines or caches. */
export const shareHeaders = { "X-Robots-Tag": "noindex", "Cache-Control": "private, no-store" };

const gone = new HttpError(410, "gone", "This link has ended; ask its author for a new one.");

/** The snapshot behind a token as JSON, or as a file to keep. */
export async function sharedCopy(
  deps: ShareDeps,
  token: string,
  { format }: z.output<typeof SharedQuery>,
  words: ShareFileWords,
): Promise<Response> {
  const { userId, snapshot, expiresAt } = await openShare(deps, token);
  if (format === "json")
    return Response.json({ status: "ok", snapshot, expiresAt }, { headers: shareHeaders });
  const file = await shareFile(
    deps,
    { userId, snapshot, expiresAt },
    { words, slots: deps.files.sharedFiles },
  );
  for (const [name, value] of Object.entries(shareHeaders)) file.headers.set(name, value);
  return file;
}

export async function openShare(
  deps: Pick<ShareDeps, "store">,
  token: string,
): Promise<Extract<SharedPage, { status: "ok" }>> {
  const page = await readShare(deps, token);
  if (page.status === "gone") throw gone;
  if (page.status === "unknown") throw notFound("sharedConversation");
  return page;
}

/** Copies a shared conversation into the reader's own, to go on from its end. */
export async function forkShare(
  deps: ShareDeps,
  userId: string,
  token: string,
): Promise<{ conversationId: string }> {
  const { snapshot } = await openShare(deps, token);
  const conversation = newConversation(userId, { title: snapshot.title });
  const { id: conversationId } = conversation;
  await deps.store.conversations.create(conversation);
  try {
    const files = await copyFiles(deps, userId, token, conversationId);
    const rows = copy(snapshot.messages, conversation);
    await deps.store.messages.append(
      conversationId,
      rows.map((row) => ({ ...row, message: withFiles(row.message, files) })),
    );
  } catch (cause) {
    // Its files do not fit, for example: an empty conversation is no copy.
    await deps.files.delete(await deps.store.attachments.idsOf(conversationId));
    await deps.store.conversations.delete(conversationId);
    throw cause;
  }
  return { conversationId };
}

/** New ids; the links between the messages stay, the runs that wrote them are not the reader's. */
function copy(messages: readonly StoredMessage[], { id, createdAt }: ConversationRow): MessageRow[] {
  let parentId: string | null = null;
  // What was said into an answer stays a part of it, though no run is known of.
  const noRun = newId();
  return messages.map((stored) => {
    const place = { conversationId: id, parentId };
    const isSaid = stored.role === "user" && stored.runId !== null;
    const told = { model: stored.model, createdAt, ...(isSaid && { runId: noRun }) };
    const row = newMessage(place, bare(stored), told);
    parentId = row.id;
    return row;
  });
}

function bare(stored: StoredMessage): ChatMessage {
  switch (stored.role) {
    case "user":
      return { role: "user", parts: stored.parts };
    case "assistant":
      return { role: "assistant", parts: stored.parts };
    case "tool":
      return { role: "tool", results: stored.results };
    case "summary":
      return { role: "summary", text: stored.text, keep: stored.keep };
  }
}

/** A file that the frozen conversation of an open link names, and no other. */
export async function sharedAttachment(
  deps: ShareDeps,
  token: string,
  id: string,
  { url }: Pick<Request, "url">,
): Promise<Response> {
  const shared = await sharedFiles(deps, token);
  const name = shared?.names.get(id);
  if (!shared || name === undefined) throw notFound("attachment");
  const isText = new URL(url).searchParams.get("as") === "text";
  const response = isText
    ? await sendAttachmentText(deps, shared.userId, id)
    : await sendBareAttachment(deps, shared.userId, id, name);
  for (const [name, value] of Object.entries(shareHeaders)) response.headers.set(name, value);
  return response;
}

/** The files of the link as the reader's own, by their old ids. */
async function copyFiles(
  deps: ShareDeps,
  userId: string,
  token: string,
  conversationId: string,
): Promise<Map<string, string>> {
  const shared = await sharedFiles(deps, token);
  const copies = new Map<string, string>();
  for (const [id, name] of shared?.names ?? []) {
    const row = shared && (await deps.store.attachments.get(shared.userId, id));
    const copy = row && (await copyBareAttachment(deps, row, { conversationId, userId, name }));
    if (copy) copies.set(id, copy.id);
  }
  return copies;
}

function withFiles(message: ChatMessage, copies: ReadonlyMap<string, string>): ChatMessage {
  const own = <Part extends ToolContent>(part: Part): Part => {
    const id = part.type === "file" && part.attachmentId ? copies.get(part.attachmentId) : undefined;
    return id ? { ...part, attachmentId: id } : part;
  };
  if (message.role === "user") return { ...message, parts: message.parts.map(own) };
  if (message.role !== "tool") return message;
  return {
    ...message,
    results: message.results.map((result) => ({ ...result, content: result.content.map(own) })),
  };
}
