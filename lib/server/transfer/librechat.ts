import { type AnswerBlock, answerChain } from "./answer-chain";
import type { ExportFiles } from "./export-files";
import type { ImportedConversation, ImportedFile, ImportedMessage } from "./imported";
import { questionMessage } from "./question-message";
import {
  dataFile,
  firstText,
  type JsonObject,
  LeftOuts,
  textFile,
  textResult,
  toArgs,
  toCallId,
  toMs,
  toObject,
  toObjects,
  toText,
  toToolName,
  writeValue,
} from "./shape";

/**
 * A conversation as LibreChat exports it (JSON, 0.7 and 0.8): `messages` or `messagesTree`, flat with `parentMessageId` or, with
 * `recursive`, as `children` of each other. The text is in `text`, or in `content` parts.
 */
export function readLibreChat(value: JsonObject, files: ExportFiles): ImportedConversation {
  const messages: ImportedMessage[] = [];
  const conversation: ImportedConversation = {
    source: "librechat",
    sourceId: toText(value.conversationId),
    title: firstText(value.title) ?? "",
    createdAt: Number.NaN,
    updatedAt: Number.NaN,
    leafId: null,
    messages,
    files: [],
    leftOut: [],
  };
  const left = new LeftOuts();
  for (const { message, place } of flatten(value)) {
    const model = firstText(message.model, toObject(value.options).model);
    const told = { ...place, ...(model !== undefined && { model }) };
    if (message.isCreatedByUser === true) messages.push(...question(message, place, conversation, files));
    else messages.push(...answer(message, told, conversation, files, left));
  }
  const times = messages.map(({ createdAt }) => createdAt).filter(Number.isFinite);
  const [first = Number.NaN] = times;
  // A list: so many arguments are no call.
  const last = times.reduce((newest, time) => Math.max(newest, time), first);
  return { ...conversation, createdAt: first, updatedAt: last, leftOut: left.list() };
}

type Place = Omit<ImportedMessage, "message">;

/** Without recursion: a tree of a thousand turns is two thousand deep. */
function flatten(value: JsonObject): { message: JsonObject; place: Place }[] {
  const roots = toObjects(value.messages ?? value.messagesTree);
  const isFlat = roots.some((message) => firstText(message.parentMessageId));
  const found: { message: JsonObject; place: Place }[] = [];
  const stack = roots.map((message) => ({ message, parentId: null as string | null })).reverse();
  let before: string | null = null;
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { message } = next;
    const id = firstText(message.messageId) ?? `message-${found.length + 1}`;
    const named = next.parentId ?? firstText(message.parentMessageId) ?? null;
    const parentId: string | null = named ?? (isFlat ? null : before);
    before = id;
    found.push({ message, place: { id, parentId, createdAt: toMs(message.createdAt) } });
    for (const child of toObjects(message.children).reverse()) stack.push({ message: child, parentId: id });
  }
  return found;
}

function question(
  message: JsonObject,
  place: Place,
  conversation: ImportedConversation,
  files: ExportFiles,
): ImportedMessage[] {
  const attached = toObjects(message.files).map((one, at) =>
    fileOf(one, `${place.id}-file-${at + 1}`, files),
  );
  const words = toObjects(message.content).flatMap((part) => textOf(part) || []);
  const text = firstText(message.text) ?? words.join("\n\n");
  return questionMessage(place, text, attached, conversation);
}

const textOf = ({ text }: JsonObject): string =>
  typeof text === "string" ? text : toText(toObject(text).value);

function fileOf(one: JsonObject, id: string, files: ExportFiles): ImportedFile {
  const name = firstText(one.filename, one.name) ?? "file";
  const inside = dataFile(id, name, toText(one.filepath));
  if (inside) return inside;
  const words = firstText(one.text);
  const entry = files.named(firstText(one.file_id) ?? name) ?? files.named(name);
  if (!entry && words !== undefined) return textFile(id, name, words);
  return {
    id,
    name,
    mediaType: toText(one.type),
    ...(entry && { size: entry.size }),
    open: async () => entry?.open(),
  };
}

function answer(
  message: JsonObject,
  place: Place,
  conversation: ImportedConversation,
  files: ExportFiles,
  left: LeftOuts,
): ImportedMessage[] {
  const blocks: AnswerBlock[] = [];
  for (const [at, part] of toObjects(message.content).entries()) {
    const id = `${place.id}-part-${at + 1}`;
    switch (part.type) {
      case "text":
        blocks.push({ type: "text", text: textOf(part) });
        break;
      case "think":
        blocks.push({ type: "reasoning", text: toText(part.think) });
        break;
      case "error":
        blocks.push({ type: "text", text: firstText(part.error, textOf(part)) ?? "" });
        break;
      case "tool_call":
        blocks.push(callOf(toObject(part.tool_call), id));
        break;
      case "image_file":
        blocks.push(imageOf(toObject(part.image_file), id, conversation, files));
        break;
      case "agent_update":
        break;
      default:
        left.add("unknown_part");
    }
  }
  const text = toText(message.text);
  if (blocks.length === 0) blocks.push(...withThoughts(text));
  return answerChain(place, blocks);
}

/** Older versions have put thoughts in front of the text. */
function withThoughts(text: string): AnswerBlock[] {
  const [open, close] = [":::thinking\n", "\n:::"];
  const end = text.startsWith(open) ? text.indexOf(close, open.length) : -1;
  if (end < 0) return [{ type: "text", text }];
  return [
    { type: "reasoning", text: text.slice(open.length, end).trim() },
    { type: "text", text: text.slice(end + close.length).trim() },
  ];
}

function callOf(call: JsonObject, fallback: string): AnswerBlock {
  // Calls of its assistants have the name and arguments in a part of their own.
  const inner = toObject(call.function);
  const id = toCallId(firstText(call.id) ?? fallback);
  const name = toToolName(firstText(call.name, inner.name, call.type) ?? "");
  const args = toArgs(call.args ?? inner.arguments ?? toObject(call.code_interpreter).input);
  const output = call.output ?? inner.output;
  return {
    type: "call",
    call: { type: "tool_call", id, name, args },
    ...(output !== undefined && output !== null && { result: textResult(id, writeValue(output)) }),
  };
}

/** An image that the model made: an answer of ours cannot hold it, the result of a call can. */
function imageOf(
  image: JsonObject,
  fallback: string,
  conversation: ImportedConversation,
  files: ExportFiles,
): AnswerBlock {
  const id = toCallId(fallback);
  const file = fileOf(image, fallback, files);
  conversation.files.push(file);
  const { name, mediaType, size = 0 } = file;
  return {
    type: "call",
    call: { type: "tool_call", id, name: "image", args: {} },
    result: { id, status: "ok", content: [{ type: "file", attachmentId: file.id, name, mediaType, size }] },
  };
}
