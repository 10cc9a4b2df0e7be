import type { ToolContent } from "@/lib/protocol/message";
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
  toArgs,
  toCallId,
  toList,
  toMs,
  toObject,
  toObjects,
  toText,
  toToolName,
  writeValue,
} from "./shape";

/**
 * A conversation of Claude's data export (`conversations.json`, 2023 to 2026): `chat_messages` in the order in which they were
 * written, since 2025 with `parent_message_uuid`; older ones have `text` alone, newer ones `content` blocks.
 */
export function readClaude(value: JsonObject, files: ExportFiles): ImportedConversation {
  const createdAt = toMs(value.created_at);
  const conversation: ImportedConversation = {
    source: "claude",
    sourceId: firstText(value.uuid) ?? `${toText(value.name)} ${toText(value.created_at)}`,
    title: toText(value.name),
    createdAt,
    updatedAt: toMs(value.updated_at),
    ...(value.is_starred === true && { pinned: true }),
    leafId: firstText(value.current_leaf_message_uuid) ?? null,
    messages: [],
    files: [],
    leftOut: [],
  };
  const left = new LeftOuts();
  const messages = toObjects(value.chat_messages);
  const isTree = messages.some((message) => firstText(message.parent_message_uuid));
  let before: string | null = null;
  for (const [at, message] of messages.entries()) {
    const id = firstText(message.uuid) ?? `message-${at + 1}`;
    const parentId: string | null = isTree ? (firstText(message.parent_message_uuid) ?? null) : before;
    const place = { id, parentId, createdAt: toMs(message.created_at) };
    const read =
      message.sender === "human"
        ? question(message, place, conversation, files)
        : answer(message, place, conversation, left);
    conversation.messages.push(...read);
    if (read.length > 0) before = id;
  }
  // The first one names a parent that the export does not hold.
  return { ...conversation, leftOut: left.list() };
}

type Place = Omit<ImportedMessage, "message">;

function question(
  message: JsonObject,
  place: Place,
  conversation: ImportedConversation,
  files: ExportFiles,
): ImportedMessage[] {
  const texts = toObjects(message.content).flatMap((block) =>
    block.type === "voice_note" || block.type === "text" ? (firstText(block.text) ?? []) : [],
  );
  const text = texts.length > 0 ? texts.join("\n\n") : toText(message.text);
  const attached = [
    ...toObjects(message.attachments).map((one, at) => attachment(one, `${place.id}-attachment-${at + 1}`)),
    ...[...toObjects(message.files), ...toObjects(message.files_v2)].map((one, at) =>
      file(one, `${place.id}-file-${at + 1}`, files),
    ),
  ];
  return questionMessage(place, text, attached, conversation);
}

/** Of a document the export has the text that the model read. */
function attachment(one: JsonObject, id: string): ImportedFile {
  const name = firstText(one.file_name) ?? "pasted.txt";
  const content = firstText(one.extracted_content);
  return content === undefined ? missing(id, name) : textFile(id, name, content);
}

function file(one: JsonObject, id: string, files: ExportFiles): ImportedFile {
  const name = firstText(one.file_name) ?? "file";
  const entry = files.named(firstText(one.file_uuid) ?? name) ?? files.named(name);
  if (!entry) return missing(id, name);
  return { id, name, mediaType: "", size: entry.size, open: entry.open };
}

const missing = (id: string, name: string): ImportedFile => ({
  ...{ id, name, mediaType: "" },
  open: async () => undefined,
});

function answer(
  message: JsonObject,
  place: Place,
  conversation: ImportedConversation,
  left: LeftOuts,
): ImportedMessage[] {
  const content = toObjects(message.content);
  const blocks: AnswerBlock[] = [];
  const open = new OpenCalls();
  for (const [at, block] of content.entries()) {
    const text = toText(block.text);
    switch (block.type) {
      case "text":
      case "voice_note":
        blocks.push({ type: "text", text });
        break;
      case "thinking":
        blocks.push({ type: "reasoning", text: toText(block.thinking) });
        break;
      case "tool_use": {
        const id = toCallId(firstText(block.id) ?? `${place.id}-call-${at + 1}`);
        const name = toToolName(toText(block.name));
        const call = {
          type: "call" as const,
          call: { type: "tool_call" as const, id, name, args: toArgs(block.input) },
        };
        blocks.push(call);
        open.add(call);
        break;
      }
      case "tool_result": {
        const answered = open.take(firstText(block.tool_use_id), toToolName(toText(block.name)));
        if (!answered) left.add("unknown_part");
        else
          answered.result = {
            id: answered.call.id,
            status: block.is_error === true ? "error" : "ok",
            content: resultContent(block, `${place.id}-result-${at + 1}`, conversation),
          };
        break;
      }
      case "token_budget":
        break;
      default:
        if (text === "") left.add("unknown_part");
        else blocks.push({ type: "text", text });
    }
  }
  if (blocks.length === 0) blocks.push({ type: "text", text: toText(message.text) });
  return answerChain(place, blocks);
}

type Call = Extract<AnswerBlock, { type: "call" }>;

/** Calls that wait for their results: some exports name the call in them, others the tool alone. */
class OpenCalls {
  private readonly byId = new Map<string, Call>();
  /** With how many of them are answered: taking the first out of a list of 100,000 moves all others. */
  private readonly byName = new Map<string, { calls: Call[]; answered: number }>();

  add(call: Call): void {
    this.byId.set(call.call.id, call);
    const { name } = call.call;
    const named = this.byName.get(name) ?? { calls: [], answered: 0 };
    named.calls.push(call);
    this.byName.set(name, named);
  }

  take(id: string | undefined, name: string): Call | undefined {
    const call = id === undefined ? this.next(name) : this.byId.get(toCallId(id));
    return call?.result ? undefined : call;
  }

  private next(name: string): Call | undefined {
    const named = this.byName.get(name);
    const call = named?.calls[named.answered];
    if (named && call) named.answered++;
    return call;
  }
}

function resultContent(block: JsonObject, id: string, conversation: ImportedConversation): ToolContent[] {
  if (typeof block.content === "string")
    return block.content === "" ? [] : [{ type: "text", text: block.content }];
  return toList(block.content).flatMap((value, at): ToolContent[] => {
    const part = toObject(value);
    const source = toObject(part.source);
    const url = `data:${toText(source.media_type)};base64,${toText(source.data)}`;
    const image = part.type === "image" && dataFile(`${id}-${at + 1}`, undefined, url);
    if (image) {
      conversation.files.push(image);
      const { id: attachmentId, mediaType, name, size = 0 } = image;
      return [{ type: "file", attachmentId, mediaType, name, size }];
    }
    const title = [firstText(part.title), firstText(part.url)].filter(Boolean).join("\n");
    const text = firstText(part.text) ?? (title || writeValue(value));
    return text === "" ? [] : [{ type: "text", text }];
  });
}
