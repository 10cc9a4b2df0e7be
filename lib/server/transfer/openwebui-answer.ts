import type { AnswerBlock } from "./answer-chain";
import {
  firstText,
  type JsonObject,
  type LeftOuts,
  parseJson,
  textResult,
  toArgs,
  toCallId,
  toList,
  toObject,
  toObjects,
  toText,
  toToolName,
  writeValue,
} from "./shape";

/** Of a list `output` (0.6.20 and later), else of the text, in which thoughts and calls are `<details>`. */
export function answerBlocks(message: JsonObject, id: string, left: LeftOuts): AnswerBlock[] {
  const output = toObjects(message.output);
  const blocks = output.length > 0 ? outputBlocks(output, id, left) : [];
  if (blocks.length > 0) return blocks;
  const content =
    typeof message.content === "string"
      ? message.content
      : toObjects(message.content)
          .flatMap((piece) => firstText(piece.text) ?? [])
          .join("\n\n");
  const error = firstText(toObject(message.error).content, message.error);
  return [
    ...contentBlocks(content, id),
    ...(error === undefined ? [] : [{ type: "text" as const, text: error }]),
  ];
}

function outputBlocks(output: readonly JsonObject[], id: string, left: LeftOuts): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  const results = new Map<string, string>();
  for (const item of output)
    if (item.type === "function_call_output") results.set(toText(item.call_id), wordsOf(item.output));
  for (const [at, item] of output.entries())
    switch (item.type) {
      case "message":
        blocks.push({ type: "text", text: wordsOf(item.content) });
        break;
      case "reasoning":
        blocks.push({ type: "reasoning", text: wordsOf(item.content) || wordsOf(item.summary) });
        break;
      case "function_call": {
        const callId = toCallId(firstText(item.call_id, item.id) ?? `${id}-call-${at + 1}`);
        const result = results.get(toText(item.call_id));
        const call = {
          ...{ type: "tool_call" as const, id: callId, name: toToolName(toText(item.name)) },
          args: toArgs(item.arguments),
        };
        blocks.push({
          type: "call",
          call,
          ...(result !== undefined && { result: textResult(callId, result) }),
        });
        break;
      }
      case "function_call_output":
        break;
      default:
        left.add("unknown_part");
    }
  return blocks;
}

const wordsOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : toList(value)
        .map((part) => firstText(toObject(part).text) ?? (typeof part === "string" ? part : ""))
        .filter(Boolean)
        .join("\n\n");

const opening = '<details type="';
const closing = "</details>";

/** Walks the text once; what is not closed stays text. */
function contentBlocks(content: string, id: string): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  let from = 0;
  let text = 0;
  for (;;) {
    const start = content.indexOf(opening, from);
    if (start < 0) break;
    const end = content.indexOf(closing, start);
    if (end < 0) break;
    const block = detailsBlock(content.slice(start, end), `${id}-call-${blocks.length + 1}`);
    from = end + closing.length;
    if (!block) continue;
    const before = content.slice(text, start).trim();
    if (before !== "") blocks.push({ type: "text", text: before });
    blocks.push(block);
    text = from;
  }
  const rest = text === 0 ? content : content.slice(text).trim();
  if (rest !== "") blocks.push({ type: "text", text: rest });
  return blocks;
}

function detailsBlock(details: string, fallback: string): AnswerBlock | undefined {
  const end = details.indexOf(">");
  if (end < 0) return undefined;
  const attributes = readAttributes(details.slice(0, end));
  const body = details.slice(end + 1).replace(/^\s*<summary>[^<]*<\/summary>/, "");
  if (attributes.get("type") === "reasoning") {
    const words = unescapeHtml(body).trim().replaceAll(/^> ?/gm, "");
    return { type: "reasoning", text: words };
  }
  if (attributes.get("type") !== "tool_calls") return undefined;
  const id = toCallId(attributes.get("id") || fallback);
  const written = attributes.get("arguments") ?? "";
  const parsed = parseJson(written);
  const result = attributes.get("result") || unescapeHtml(body).trim();
  const inner = parseJson(result);
  return {
    type: "call",
    call: {
      ...{ type: "tool_call", id, name: toToolName(attributes.get("name") ?? "") },
      // It is JSON within JSON in some versions.
      args: toArgs(typeof parsed === "string" ? parsed : written),
    },
    ...(result !== "" && { result: textResult(id, inner === undefined ? result : writeValue(inner)) }),
  };
}

const readAttributes = (tag: string): Map<string, string> =>
  new Map(
    [...tag.matchAll(/([\w-]{1,40})="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      unescapeHtml(value),
    ]),
  );

const entities: Record<string, string> = {
  lt: "<",
  gt: ">",
  quot: '"',
  "#x27": "'",
  "#39": "'",
  apos: "'",
  amp: "&",
};

const unescapeHtml = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|#x27|#39|apos|amp);/g, (_, name: string) => entities[name] ?? "");
