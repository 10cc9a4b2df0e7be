import type { ToolCall } from "@/lib/protocol/message";
import { assistantParts, callArgs, isHidden, questionParts, resultContent } from "./chatgpt-content";
import type { ChatGptContext, ChatGptNode } from "./chatgpt-node";
import type { ExportFiles } from "./export-files";
import type { ImportedConversation, ImportedMessage } from "./imported";
import { parentsFirst } from "./order-tree";
import {
  firstText,
  type JsonObject,
  LeftOuts,
  toCallId,
  toMs,
  toObject,
  toObjects,
  toText,
  toToolName,
} from "./shape";

/** What a node has become: the message that its children hang on, and a call in it that nothing has answered. */
interface Tail {
  id: string | null;
  open?: ToolCall;
}

/**
 * A conversation of ChatGPT's data export (`conversations.json`, as of 2023 to 2026): a tree of nodes in `mapping`, of which
 * some are hidden, shown until `current_node`. A call is an assistant's message to another `recipient` than `all`, its result a
 * message of the author `tool`.
 */
export function readChatGpt(value: JsonObject, entries: ExportFiles): ImportedConversation {
  const context: ChatGptContext = { entries, left: new LeftOuts(), files: new Map(), attachments: new Map() };
  const messages: ImportedMessage[] = [];
  const tails = new Map<string, Tail>();
  for (const node of parentsFirst(nodesOf(value))) {
    const before = (node.parentId !== null && tails.get(node.parentId)) || { id: null };
    const read = readNode(node, before, context);
    messages.push(...read.messages);
    tails.set(node.id, read.tail);
  }
  const createdAt = toMs(value.create_time);
  const tail = tails.get(toText(value.current_node));
  return {
    source: "chatgpt",
    sourceId:
      firstText(value.conversation_id, value.id) ?? `${toText(value.title)} ${String(value.create_time)}`,
    title: toText(value.title),
    createdAt,
    updatedAt: toMs(value.update_time),
    ...((value.is_starred === true || typeof value.pinned_time === "number") && { pinned: true }),
    ...(value.is_archived === true && { archived: true }),
    leafId: (tail?.open ? `${tail.id}-end` : tail?.id) ?? null,
    messages: closeLast(messages).map((message) => ({
      ...message,
      createdAt: message.createdAt || createdAt,
    })),
    files: [...context.files.values()],
    leftOut: context.left.list(),
  };
}

/** Of a call at the end of a branch nobody knows what came: left open, it would wait for somebody here. */
function closeLast(messages: readonly ImportedMessage[]): ImportedMessage[] {
  const parents = new Set(messages.map(({ parentId }) => parentId));
  return messages.flatMap((one) => {
    const { message, id } = one;
    const [call] = message.role === "assistant" && !parents.has(id) ? message.parts : [];
    if (call?.type !== "tool_call") return one;
    const result = { id: call.id, status: "unknown" as const, content: [] };
    return [one, { ...one, id: `${id}-end`, parentId: id, message: { role: "tool", results: [result] } }];
  });
}

const nodesOf = ({ mapping }: JsonObject): ChatGptNode[] =>
  Object.entries(toObject(mapping)).map(([id, value]) => {
    const node = toObject(value);
    const message = toObject(node.message);
    return { id, parentId: firstText(node.parent) ?? null, createdAt: toMs(message.create_time), message };
  });

function readNode(
  node: ChatGptNode,
  before: Tail,
  context: ChatGptContext,
): { messages: ImportedMessage[]; tail: Tail } {
  const role = toObject(node.message.author).role;
  if (isHidden(node.message)) {
    if (Object.keys(node.message).length > 0) context.left.add("hidden_message");
    return { messages: [], tail: before };
  }
  for (const one of toObjects(toObject(node.message.metadata).attachments))
    context.attachments.set(toText(one.id), one);
  if (role === "tool") return readResult(node, before, context);
  const chain = new Chain(node, before);
  chain.closeOpen();
  const recipient = toText(node.message.recipient);
  if (role === "user") {
    const parts = questionParts(node, context);
    if (parts.length > 0) chain.add({ role: "user", parts });
  } else if (recipient !== "" && recipient !== "all")
    chain.call(toToolName(recipient), callArgs(node.message, recipient));
  else {
    const { parts, images } = assistantParts(node, context);
    if (images.length > 0) {
      const call = chain.call("image", {});
      chain.add({ role: "tool", results: [{ id: call.id, status: "ok", content: images }] });
      chain.closed();
    }
    if (parts.length > 0) chain.add({ role: "assistant", parts });
  }
  return chain.end();
}

function readResult(node: ChatGptNode, before: Tail, context: ChatGptContext) {
  const { content, status } = resultContent(node, context);
  const chain = new Chain(node, before);
  if (content.length === 0 && !before.open) return chain.end();
  const call = before.open ?? chain.call(toToolName(toText(toObject(node.message.author).name)), {});
  chain.add({ role: "tool", results: [{ id: call.id, status, content }] });
  chain.closed();
  return chain.end();
}

/** The messages that a node becomes, each below the one before; the last one has the node's name. */
class Chain {
  private readonly messages: ImportedMessage["message"][] = [];
  private open: ToolCall | undefined;
  private count = 0;

  constructor(
    private readonly node: ChatGptNode,
    private readonly before: Tail,
  ) {
    this.open = before.open;
  }

  add(message: ImportedMessage["message"]): void {
    this.messages.push(message);
  }

  call(name: string, args: ToolCall["args"]): ToolCall {
    const id = toCallId(`call-${this.node.id}${this.count++ === 0 ? "" : `-${this.count}`}`);
    const call: ToolCall = { type: "tool_call", id, name, args };
    this.add({ role: "assistant", parts: [call] });
    this.open = call;
    return call;
  }

  closed(): void {
    this.open = undefined;
  }

  /** Somebody went on without a result. */
  closeOpen(): void {
    if (!this.open) return;
    this.add({ role: "tool", results: [{ id: this.open.id, status: "unknown", content: [] }] });
    this.open = undefined;
  }

  end(): { messages: ImportedMessage[]; tail: Tail } {
    const { id, createdAt, message } = this.node;
    const model = firstText(toObject(message.metadata).model_slug);
    const last = this.messages.length - 1;
    const messages = this.messages.map((one, at) => ({
      id: at === last ? id : `${id}-${at + 1}`,
      parentId: at === 0 ? this.before.id : `${id}-${at}`,
      message: one,
      createdAt,
      ...(model !== undefined && one.role !== "user" && { model }),
    }));
    return {
      messages,
      tail: { id: messages.at(-1)?.id ?? this.before.id, ...(this.open && { open: this.open }) },
    };
  }
}
