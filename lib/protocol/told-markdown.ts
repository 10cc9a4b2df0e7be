import type { FilePart, ToolContent, ToolResult } from "./message";
import type { ToldPart, ToldWords } from "./told-parts";

/** A part as Markdown, with a blank line behind it. */
export function toMarkdown(part: ToldPart, words: ToldWords): string {
  return `${bodyOf(part, words)}\n\n`;
}

function bodyOf(part: ToldPart, words: ToldWords): string {
  switch (part.kind) {
    case "question":
      return `## ${words.question}\n\n${sayingOf(part)}`;
    case "answer":
      return `## ${words.answer}${part.model === null ? "" : ` (${escapedMarkdown(part.model)})`}`;
    case "said":
      return `**${words.said}:**\n\n${sayingOf(part)}`;
    case "text":
      return closed(part.text);
    case "json":
      return fenced(part.text, "json");
    case "reasoning":
      return folded(words.reasoning, closed(part.text));
    case "summary":
      return folded(words.summary, closed(part.text));
    case "call":
      return folded(
        `${words.call}: <code>${escaped(part.name)}</code>${statusOf(part.result, words)}`,
        [`${words.arguments}:`, argumentsOf(part.args), ...resultOf(part.result, words)].join("\n\n"),
      );
  }
}

/** What a person has pasted may open a block that never ends; a quotation ends it. */
const sayingOf = ({ text, files }: Extract<ToldPart, { kind: "question" | "said" }>): string =>
  quoted([text, ...files.map(fileLine)].filter(Boolean).join("\n\n"));

/** Code between fences that are longer than any in it. */
export function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(2, longestTicks(text)) + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function longestTicks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** A heading of one line, whatever the text is. */
export const heading = (level: number, text: string): string =>
  `${"#".repeat(level)} ${text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/[\\`*_[\]<>#]/g, "\\$&")}\n\n`;

const folded = (summary: string, body: string): string =>
  `<details>\n<summary>${summary}</summary>\n\n${body}\n\n</details>`;

const quoted = (text: string): string =>
  text
    .split(/\r\n?|\n/)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");

/** An answer that was cut off may end within a block of code; what follows must not be in it. */
function closed(text: string): string {
  let open = "";
  for (const line of text.split(/\r\n?|\n/)) {
    const [, fence = "", rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === "") open = fence.startsWith("`") && rest.includes("`") ? "" : fence;
    else if (fence.startsWith(open) && rest.trim() === "") open = "";
  }
  return open === "" ? text : `${text}\n${open}`;
}

const argumentsOf = (args: unknown): string =>
  typeof args === "string" ? fenced(args) : fenced(JSON.stringify(args, null, 2) ?? "", "json");

function resultOf(result: ToolResult | null, words: ToldWords): string[] {
  if (!result) return [words.noResult];
  const parts = result.content.map(contentOf);
  return [`${words.result}:`, ...(parts.length > 0 ? parts : [words.empty])];
}

function contentOf(part: ToolContent): string {
  switch (part.type) {
    case "text":
      return fenced(part.text);
    case "file":
      return fileLine(part);
    case "resource_link":
      return `${escapedMarkdown(part.name)}: ${code(part.uri)}`;
  }
}

/** By its reference: where the bytes are depends on where this is read. */
function fileLine(file: FilePart): string {
  const name = escapedMarkdown(file.name ?? file.mediaType);
  if (file.attachmentId === undefined) return `${name} (${file.mediaType})`;
  const mark = file.mediaType.startsWith("image/") ? "!" : "";
  return `${mark}[${name}](attachment:${file.attachmentId})`;
}

const statusOf = (result: ToolResult | null, { status }: ToldWords): string =>
  result && result.status !== "ok" ? ` (${status[result.status]})` : "";

const code = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ");
  const ticks = "`".repeat(longestTicks(line) + 1);
  return `${ticks} ${line} ${ticks}`;
};

const escapedMarkdown = (text: string): string =>
  text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>!]/g, "\\$&");

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(/\s+/g, " ");
