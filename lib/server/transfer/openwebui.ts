import { answerChain } from "./answer-chain";
import type { ExportFiles } from "./export-files";
import type { ImportedConversation, ImportedFile, ImportedMessage } from "./imported";
import { answerBlocks } from "./openwebui-answer";
import { questionMessage } from "./question-message";
import {
  dataFile,
  firstText,
  type JsonObject,
  LeftOuts,
  textFile,
  toList,
  toMs,
  toObject,
  toObjects,
  toText,
} from "./shape";

/**
 * A chat as Open WebUI exports it (JSON, 0.5 to 0.6): the tree is in `chat.history.messages`, shown until `currentId`. Older
 * ones have the list `chat.messages` alone.
 */
export function readOpenWebUi(value: JsonObject, files: ExportFiles): ImportedConversation {
  const chat = toObject(value.chat);
  const history = toObject(chat.history);
  const createdAt = toMs(value.created_at ?? chat.timestamp);
  const conversation: ImportedConversation = {
    source: "openwebui",
    sourceId: firstText(value.id, chat.id) ?? `${toText(chat.title)} ${String(chat.timestamp)}`,
    title: firstText(value.title, chat.title) ?? "",
    createdAt,
    updatedAt: toMs(value.updated_at ?? chat.timestamp),
    ...(value.pinned === true && { pinned: true }),
    ...(value.archived === true && { archived: true }),
    leafId: firstText(history.currentId) ?? null,
    messages: [],
    files: [],
    leftOut: [],
  };
  const left = new LeftOuts();
  const hidden = new Map<string, string | null>();
  for (const { message, place } of messagesOf(chat)) {
    if (message.role === "system") {
      hidden.set(place.id, place.parentId);
      left.add("hidden_message");
      continue;
    }
    const told = { ...place, createdAt: place.createdAt || createdAt };
    conversation.messages.push(
      ...(message.role === "user"
        ? question(message, told, conversation, files)
        : answerChain(
            { ...told, ...(typeof message.model === "string" && { model: message.model }) },
            answerBlocks(message, place.id, left),
          )),
    );
  }
  // What hangs on a hidden message hangs on what that hung on; a circle of them ends.
  const parentOf = (id: string | null): string | null => {
    let parent = id;
    for (let steps = maxHidden; parent !== null && hidden.has(parent) && steps-- > 0; )
      parent = hidden.get(parent) ?? null;
    return parent;
  };
  const messages = conversation.messages.map((one) => ({ ...one, parentId: parentOf(one.parentId) }));
  return { ...conversation, messages, leftOut: left.list() };
}

/** Hidden messages one after the other that are passed over; what hangs on more of them becomes a beginning. */
const maxHidden = 100;

type Place = Omit<ImportedMessage, "message">;

function messagesOf(chat: JsonObject): { message: JsonObject; place: Place }[] {
  const tree = Object.entries(toObject(toObject(chat.history).messages));
  if (tree.length > 0)
    return tree.map(([id, value]) => {
      const message = toObject(value);
      return {
        message,
        place: { id, parentId: firstText(message.parentId) ?? null, createdAt: toMs(message.timestamp) },
      };
    });
  let before: string | null = null;
  return toObjects(chat.messages).map((message, at) => {
    const id = firstText(message.id) ?? `message-${at + 1}`;
    const place = { id, parentId: before, createdAt: toMs(message.timestamp) };
    before = id;
    return { message, place };
  });
}

function question(
  message: JsonObject,
  place: Place,
  conversation: ImportedConversation,
  files: ExportFiles,
): ImportedMessage[] {
  const content = message.content;
  const pieces = toObjects(content);
  const text =
    typeof content === "string"
      ? content
      : pieces.flatMap((piece) => firstText(piece.text) ?? []).join("\n\n");
  const images = pieces.flatMap((piece) => firstText(toObject(piece.image_url).url) ?? []);
  const attached = [
    ...toList(message.files).map((one, at) => fileOf(toObject(one), `${place.id}-file-${at + 1}`, files)),
    ...images.map((url, at) => fileOf({ type: "image", url }, `${place.id}-image-${at + 1}`, files)),
  ];
  return questionMessage(place, text, attached, conversation);
}

/** An image as a data URI, a document with the text that was read of it, or a name of what the server has kept. */
function fileOf(one: JsonObject, id: string, files: ExportFiles): ImportedFile {
  const inner = toObject(one.file);
  const name = firstText(one.name, inner.filename, toObject(inner.meta).name);
  const inside = dataFile(id, name, toText(one.url));
  if (inside) return inside;
  const entry = files.named(name ?? toText(one.id));
  const words = firstText(toObject(inner.data).content);
  const shown = name ?? (one.type === "image" ? "image.png" : "file");
  if (!entry && words !== undefined) return textFile(id, shown, words);
  const mediaType = toText(toObject(inner.meta).content_type);
  return { id, name: shown, mediaType, ...(entry && { size: entry.size }), open: async () => entry?.open() };
}
