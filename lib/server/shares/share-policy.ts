import type { SharePolicy, ShareSnapshot, ShownOfCall, StoredMessage } from "@/lib/protocol/http";
import { mainEntry } from "@/lib/protocol/main-argument";
import type { ToolCall, ToolContent, ToolResult } from "@/lib/protocol/message";
import { shownOf } from "@/lib/protocol/share-policy";

/** Characters of an argument and of a result that a summary shows. */
const maxSummary = 200;

type Withheld = NonNullable<ShareSnapshot["withheld"]>;

/** A copy with what the policy shows and nothing else; which calls are not whole is told in `withheld`. */
export function applyPolicy(snapshot: ShareSnapshot, policy: SharePolicy): ShareSnapshot {
  const shown = new Map<string, ShownOfCall>();
  for (const message of snapshot.messages)
    for (const call of message.role === "assistant" ? message.parts : [])
      if (call.type === "tool_call") shown.set(call.id, shownOf(call.name, policy));
  const withheld: Withheld = {};
  const messages = snapshot.messages.map((message) => applyTo(message, { policy, shown, withheld }));
  return { ...snapshot, messages, ...(Object.keys(withheld).length > 0 && { withheld }) };
}

interface Applied {
  policy: SharePolicy;
  shown: ReadonlyMap<string, ShownOfCall>;
  withheld: Withheld;
}

function applyTo(message: StoredMessage, { policy, shown, withheld }: Applied): StoredMessage {
  switch (message.role) {
    case "user":
      return { ...message, parts: message.parts.filter(({ type }) => policy.attachments || type !== "file") };
    case "assistant": {
      const parts = message.parts.filter(({ type }) => policy.reasoning || type !== "reasoning");
      return {
        ...message,
        parts: parts.map((part) =>
          part.type === "tool_call" ? shorten(part, shown.get(part.id) ?? policy.default) : part,
        ),
      };
    }
    case "tool": {
      const results = message.results.map((result) => withoutFiles(result, policy));
      return {
        ...message,
        // Of a result whose call is not there nothing says which tool's it is.
        results: results.map((result) => cut(result, shown.get(result.id) ?? policy.default, withheld)),
      };
    }
    case "summary":
      // It may tell of any result.
      return [...shown.values()].every((each) => each === "full") ? message : { ...message, text: "" };
  }
}

function shorten(call: ToolCall, shown: ShownOfCall): ToolCall {
  if (shown === "full") return call;
  const { malformed: _, excess: _excess, args, ...rest } = call;
  const main = shown === "summary" ? mainEntry(args) : undefined;
  return { ...rest, args: main ? { [main[0]]: beginning(main[1]) } : {} };
}

const beginning = (value: unknown): unknown => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > maxSummary ? `${cutAt(text, maxSummary)}…` : value;
};

function withoutFiles(result: ToolResult, { attachments }: SharePolicy): ToolResult {
  if (attachments) return result;
  return { ...result, content: result.content.filter(({ type }) => type === "text") };
}

function cut(result: ToolResult, shown: ShownOfCall, withheld: Withheld): ToolResult {
  if (shown === "full") return result;
  const { structured: _, args: _args, ...rest } = result;
  if (shown === "hidden") {
    withheld[result.id] = { shown };
    return { ...rest, content: [] };
  }
  const text = result.content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
  withheld[result.id] = { shown, characters: text.length };
  const content: ToolContent[] = text === "" ? [] : [{ type: "text", text: cutAt(text, maxSummary) }];
  return { ...rest, content };
}

/** Never between the halves of a character. */
const cutAt = (text: string, length: number): string =>
  /[\ud800-\udbff]$/.test(text.slice(0, length)) ? text.slice(0, length - 1) : text.slice(0, length);
