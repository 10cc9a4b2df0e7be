import { proposePlanTool } from "@/lib/agent/with-plan";
import type { NoticeKind } from "@/lib/protocol/chunk";
import type { RunItem, StoredMessage } from "@/lib/protocol/http";
import { mainEntry } from "@/lib/protocol/main-argument";
import type { AssistantMessage, ToolCall, ToolContent, ToolResult } from "@/lib/protocol/message";
import { shownOf } from "@/lib/protocol/share-policy";
import type { SharePolicy, ShareSnapshot, ShownOfCall } from "@/lib/protocol/shares";
import { untitled } from "@/lib/server/title";
import { findPrivate } from "./find-private";

/** Characters of an argument and of a result that a summary shows. */
const maxSummary = 200;

type Withheld = NonNullable<ShareSnapshot["withheld"]>;

/**
 * A copy with what the policy shows and nothing else; which calls are not whole is told in `withheld`. Paths are hidden
 * before, as half of one is not found; what looks private, `known` secrets included, is cut off as a whole.
 */
export function applyPolicy(
  snapshot: ShareSnapshot,
  policy: SharePolicy,
  known: readonly string[],
): ShareSnapshot {
  const shown = new Map<string, ShownOfCall>();
  for (const message of snapshot.messages)
    for (const call of message.role === "assistant" ? message.parts : [])
      if (call.type === "tool_call") shown.set(call.id, shownOfCall(call, policy));
  const withheld: Withheld = {};
  const isWhole =
    policy.reasoning && policy.attachments && [...shown.values()].every((each) => each === "full");
  const applied = { policy, shown, isWhole, known, withheld };
  const messages = snapshot.messages.map((message) => applyTo(message, applied));
  const runs = isWhole ? snapshot.runs : snapshot.runs.map(withoutTelling);
  const title = policy.attachments ? snapshot.title : withoutFileName(snapshot);
  return { ...snapshot, title, messages, runs, ...(Object.keys(withheld).length > 0 && { withheld }) };
}

/** A plan names arguments of other tools: it is shown where all of these are. */
function shownOfCall({ name, args, malformed }: ToolCall, policy: SharePolicy): ShownOfCall {
  const own = shownOf(name, policy);
  if (name !== proposePlanTool) return own;
  const steps = Array.isArray(args.steps) && malformed === undefined ? args.steps : [undefined];
  const isShown = (step: { tool?: unknown } | null | undefined) =>
    typeof step?.tool === "string" && shownOf(step.tool, policy) === "full";
  return steps.every(isShown) ? own : "hidden";
}

/** Notices that repeat nothing of a call, a thought or a file. */
const plainNotices: readonly NoticeKind[] = ["retry", "compaction", "budget"];

const withoutTelling = (run: RunItem): RunItem => ({
  ...run,
  iterations: run.iterations.map(({ notices, ...iteration }) => {
    const plain = notices?.filter(({ kind }) => plainNotices.includes(kind)) ?? [];
    return { ...iteration, ...(plain.length > 0 && { notices: plain }) };
  }),
});

function withoutFileName({ title, messages }: ShareSnapshot): string {
  const names = messages.flatMap((message) =>
    message.role === "user"
      ? message.parts.flatMap((part) => (part.type === "file" ? (part.name ?? []) : []))
      : [],
  );
  return titleWithout(names, title);
}

/** A question that was only a file has made its name the title, or the beginning of it. */
export function titleWithout(names: readonly string[], title: string): string {
  const told = title.replace(/…$/, "").toLowerCase();
  const isTold = (name: string) => told !== "" && (told.includes(name) || name.startsWith(told));
  return names.some((name) => isTold(name.toLowerCase())) ? untitled : title;
}

interface Applied {
  policy: SharePolicy;
  shown: ReadonlyMap<string, ShownOfCall>;
  /** Everything is shown. */
  isWhole: boolean;
  known: readonly string[];
  withheld: Withheld;
}

function applyTo(message: StoredMessage, applied: Applied): StoredMessage {
  const { policy, shown, isWhole, known } = applied;
  switch (message.role) {
    case "user":
      return { ...message, parts: message.parts.filter(({ type }) => policy.attachments || type !== "file") };
    case "assistant": {
      const parts = message.parts
        .filter(({ type }) => policy.reasoning || type !== "reasoning")
        .map((part) => (isWhole ? part : withoutSignature(part)));
      return {
        ...message,
        parts: parts.map((part) =>
          part.type === "tool_call" ? shorten(part, shown.get(part.id) ?? policy.default, known) : part,
        ),
      };
    }
    case "tool": {
      const results = message.results.map((result) => withoutFiles(result, policy));
      return {
        ...message,
        // Of a result whose call is not there nothing says which tool's it is.
        results: results.map((result) => cut(result, shown.get(result.id) ?? policy.default, applied)),
      };
    }
    case "summary":
      // It may tell of any result, thought or file.
      return isWhole ? message : { ...message, text: "" };
  }
}

/** What a provider has sealed in it may be the very thoughts and arguments that are not shown. */
function withoutSignature<Part extends AssistantMessage["parts"][number]>(part: Part): Part {
  const { signature: _, ...rest } = part;
  return rest as Part;
}

function shorten(call: ToolCall, shown: ShownOfCall, known: readonly string[]): ToolCall {
  if (shown === "full") return call;
  const { malformed: _, excess: _excess, definition: _definition, args, ...rest } = call;
  const main = shown === "summary" ? mainEntry(args) : undefined;
  return { ...rest, args: main ? { [main[0]]: beginning(main[1], known) } : {} };
}

const beginning = (value: unknown, known: readonly string[]): unknown => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > maxSummary ? `${cutBefore(text, known)}…` : value;
};

function withoutFiles(result: ToolResult, { attachments }: SharePolicy): ToolResult {
  if (attachments) return result;
  return { ...result, content: result.content.filter(({ type }) => type === "text") };
}

function cut(result: ToolResult, shown: ShownOfCall, { known, withheld }: Applied): ToolResult {
  if (shown === "full") return result;
  const { structured: _, args: _args, ...rest } = result;
  if (shown === "hidden") {
    withheld[result.id] = { shown };
    return { ...rest, content: [] };
  }
  const text = result.content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
  withheld[result.id] = { shown, characters: text.length };
  const content: ToolContent[] = text === "" ? [] : [{ type: "text", text: cutBefore(text, known) }];
  return { ...rest, content };
}

/** At `maxSummary` characters, but not within what looks private, of which half would not be found, nor within a character. */
function cutBefore(text: string, known: readonly string[]): string {
  if (text.length <= maxSummary) return text;
  const found = findPrivate(text, known).find(({ start, end }) => start < maxSummary && end > maxSummary);
  const beginning = text.slice(0, found?.start ?? maxSummary);
  return /[\ud800-\udbff]$/.test(beginning) ? beginning.slice(0, -1) : beginning;
}
