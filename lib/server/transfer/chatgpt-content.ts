import type {
  AssistantMessage,
  StoredFile,
  ToolCall,
  ToolContent,
  ToolResult,
  UserMessage,
} from "@/lib/protocol/message";
import { citationLinker } from "./chatgpt-citations";
import type { ChatGptContext, ChatGptNode } from "./chatgpt-node";
import { firstText, type JsonObject, toArgs, toList, toObject, toObjects, toText } from "./shape";

/** Told to the model or by itself, and shown to nobody. */
export function isHidden(message: JsonObject): boolean {
  const type = toObject(message.content).content_type;
  return (
    Object.keys(message).length === 0 ||
    toObject(message.author).role === "system" ||
    toObject(message.metadata).is_visually_hidden_from_conversation === true ||
    type === "user_editable_context" ||
    type === "model_editable_context"
  );
}

export function questionParts({ id, message }: ChatGptNode, context: ChatGptContext): UserMessage["parts"] {
  const parts: UserMessage["parts"] = [];
  const named = new Set<string>();
  for (const part of contentParts(message)) {
    const file = fileOf(part, context);
    if (typeof part === "string") parts.push({ type: "text", text: part });
    else if (file) {
      named.add(file.attachmentId);
      parts.push(file);
    } else parts.push(...otherPart(part, context));
  }
  for (const [at, attachment] of toObjects(toObject(message.metadata).attachments).entries()) {
    const key = firstText(attachment.id) ?? `${id}-${at}`;
    if (named.has(key)) continue;
    named.add(key);
    const name = firstText(attachment.name);
    parts.push(storedFile(key, name, toText(attachment.mime_type), context));
  }
  return parts.filter((part) => part.type !== "text" || part.text !== "");
}

/** The words of an answer; images, which an answer of ours cannot hold, apart. */
export function assistantParts(
  { message }: ChatGptNode,
  context: ChatGptContext,
): { parts: AssistantMessage["parts"]; images: StoredFile[] } {
  const content = toObject(message.content);
  const images: StoredFile[] = [];
  const parts: AssistantMessage["parts"] = [];
  if (content.content_type === "thoughts") {
    for (const thought of toObjects(content.thoughts)) {
      const [summary, words] = [toText(thought.summary), toText(thought.content)];
      const title = summary === "" ? [] : [`**${summary}**`];
      parts.push({ type: "reasoning", text: [...title, ...(words === "" ? [] : [words])].join("\n\n") });
    }
    return { parts: parts.filter(hasWords), images };
  }
  if (content.content_type === "reasoning_recap")
    return {
      parts: [{ type: "reasoning" as const, text: toText(content.content) }].filter(hasWords),
      images,
    };
  if (content.content_type === "code")
    return { parts: [{ type: "text" as const, text: fenced(content) }].filter(hasWords), images };
  const linked = citationLinker(toObject(message.metadata));
  for (const part of contentParts(message)) {
    const file = fileOf(part, context);
    if (file) images.push(file);
    else if (typeof part === "string") parts.push({ type: "text", text: linked(part) });
    else parts.push(...otherPart(part, context));
  }
  return { parts: parts.filter(hasWords), images };
}

const hasWords = (part: AssistantMessage["parts"][number]): boolean =>
  part.type === "tool_call" || part.text !== "";

/** A fence that is longer than any in the code. */
function fenced(content: JsonObject): string {
  const text = toText(content.text);
  if (text === "") return "";
  let longest = 2;
  for (const [ticks] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, ticks.length);
  const fence = "`".repeat(longest + 1);
  const language = toText(content.language).replaceAll(/[^\w+#-]/g, "");
  return `${fence}${language === "unknown" ? "" : language}\n${text}\n${fence}`;
}

export function callArgs(message: JsonObject, recipient: string): ToolCall["args"] {
  const content = toObject(message.content);
  const text =
    firstText(content.text) ??
    contentParts(message)
      .filter((part) => typeof part === "string")
      .join("\n");
  return toArgs(text, recipient.startsWith("python") ? "code" : "input");
}

export function resultContent(
  { message }: ChatGptNode,
  context: ChatGptContext,
): { content: ToolContent[]; status: ToolResult["status"] } {
  const content = toObject(message.content);
  const found: ToolContent[] = [];
  const add = (text: string | undefined) => {
    if (text !== undefined && text !== "") found.push({ type: "text", text });
  };
  const linked = citationLinker(toObject(message.metadata));
  switch (content.content_type) {
    case "execution_output":
      add(toText(content.text));
      found.push(...executionImages(message, context));
      break;
    case "tether_browsing_display":
      add(firstText(content.result, content.summary));
      break;
    case "tether_quote":
      add([content.title, content.url, content.text].map(toText).filter(Boolean).join("\n\n"));
      break;
    case "system_error":
      add([content.name, content.text].map(toText).filter(Boolean).join(": "));
      return { content: found, status: "error" };
    default:
      for (const part of contentParts(message)) {
        const file = fileOf(part, context);
        if (file) found.push(file);
        else if (typeof part === "string") add(linked(part));
        else found.push(...otherPart(part, context));
      }
      if (found.length === 0) add(toText(content.text));
  }
  return { content: found, status: "ok" };
}

/** Plots of the code interpreter. */
const executionImages = (message: JsonObject, context: ChatGptContext): StoredFile[] =>
  toObjects(toObject(toObject(message.metadata).aggregate_result).messages).flatMap((one) =>
    one.message_type === "image"
      ? (fileOf({ content_type: "image_asset_pointer", asset_pointer: one.image_url }, context) ?? [])
      : [],
  );

function contentParts(message: JsonObject): (string | JsonObject)[] {
  const content = toObject(message.content);
  const parts = toList(content.parts).map((part) => (typeof part === "string" ? part : toObject(part)));
  return parts.length > 0 ? parts : typeof content.text === "string" ? [content.text] : [];
}

const pointers = new Set(["image_asset_pointer", "file_asset_pointer"]);

/** The address of a file: `file-service://file-AbC`, `sediment://file_0000`. */
function fileOf(part: string | JsonObject, context: ChatGptContext): StoredFile | undefined {
  if (typeof part === "string" || !pointers.has(toText(part.content_type))) return undefined;
  const address = toText(part.asset_pointer).slice(0, 500).split("://").at(-1) ?? "";
  const id = /^file[-_][A-Za-z0-9]+/.exec(address)?.[0];
  if (id === undefined) return undefined;
  const attachment = context.attachments.get(id);
  return storedFile(id, firstText(attachment?.name), toText(attachment?.mime_type), context);
}

/** What is said in a part of another kind; sound and video are not kept, what was said in them is. */
function otherPart(part: string | JsonObject, context: ChatGptContext): { type: "text"; text: string }[] {
  if (typeof part === "string") return [];
  const type = toText(part.content_type).slice(0, 100);
  if (/(audio|video).*_pointer/.test(type)) {
    context.left.add("refused_file");
    return [];
  }
  const text = firstText(part.text);
  if (text !== undefined) return [{ type: "text", text }];
  context.left.add("unknown_part");
  return [];
}

/** The part for a file of the archive, which is told of once. */
function storedFile(
  id: string,
  named: string | undefined,
  mediaType: string,
  context: ChatGptContext,
): StoredFile {
  const entry =
    context.entries.withId(id) ?? (named === undefined ? undefined : context.entries.named(named));
  const own = entry?.name.split("/").at(-1)?.replace(`${id}-`, "");
  const name = named ?? (own || `${id}.png`);
  if (!context.files.has(id))
    context.files.set(id, {
      ...{ id, name, mediaType },
      ...(entry && { size: entry.size }),
      open: async () => entry?.open(),
    });
  return { type: "file", attachmentId: id, name, mediaType, size: entry?.size ?? 0 };
}
