import { modelContent } from "@/lib/protocol/history";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import type { Wording } from "./wording";

const maxExcerpt = 1_500;
const maxLines = 30;

/** What a round of tools brought, in a few sentences of Markdown; `failed` when one of them did not do its work. */
export function report(
  { calls, results }: { calls: readonly ToolCall[]; results: readonly ToolResult[] },
  words: Wording,
): { text: string; failed?: string } {
  const lines = results.map((result) => {
    const name = calls.find((call) => call.id === result.id)?.name ?? "tool";
    return one(name, result, words);
  });
  const text = lines.join("\n\n");
  return results.some((result) => result.status !== "ok") ? { text, failed: text } : { text };
}

function one(name: string, result: ToolResult, words: Wording): string {
  const text = plainText(result);
  const quote = text ? `\n\n${excerpt(text)}` : "";
  switch (result.status) {
    case "ok":
      return `${words.answered(name)}${quote}${others(result, words)}`;
    case "denied":
      return `${words.denied(name)}${quote}`;
    case "error":
      return `${words.failed(name)}${quote}`;
    case "unknown":
      return `${words.unclear(name)}${quote}`;
  }
}

function others({ content }: ToolResult, words: Wording): string {
  const files = content.filter((part) => part.type !== "text").length;
  return files > 0 ? `\n\n${words.others(files)}` : "";
}

/** The text of a result; empty where it has none. */
export function plainText(result: ToolResult | undefined): string {
  if (!result) return "";
  return modelContent(result)
    .flatMap((part) => (part.type === "text" ? part.text : []))
    .join("\n");
}

/** The start of a text as a block that no Markdown in it can leave. */
export function excerpt(text: string): string {
  const short = text.length > maxExcerpt ? `${text.slice(0, maxExcerpt)}\n…` : text;
  const fence = "`".repeat(Math.max(3, ...[...short.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${fence}\n${short.trimEnd()}\n${fence}`;
}

/** Names as list items, at most 30 and then how many more there are. */
export function listItems(names: readonly string[]): string {
  const shown = names.slice(0, maxLines).map((name) => `- ${name}`);
  return [...shown, ...(names.length > maxLines ? [`- … (+${names.length - maxLines})`] : [])].join("\n");
}

/** What the memory server keeps, from its graph `{entities: [{name, observations}]}`; nothing where it is no such thing. */
export function entitiesIn(graph: string): { name: string; observations: string[] }[] {
  try {
    const { entities = [] } = JSON.parse(graph) as {
      entities?: { name?: string; observations?: string[] }[];
    };
    return entities.map(({ name = "", observations = [] }) => ({ name, observations }));
  } catch {
    return [];
  }
}
