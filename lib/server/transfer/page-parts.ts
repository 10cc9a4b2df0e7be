import type { FilePart, ToolContent, ToolResult } from "@/lib/protocol/message";
import type { ToldPart, ToldWords } from "@/lib/protocol/told-parts";
import { base64Of } from "./base64";
import { escapeHtml, markdownToHtml, plain } from "./page-markdown";

/** The bytes of an attachment; undefined where they are gone. */
export type FileReader = (attachmentId: string) => Promise<AsyncIterable<Uint8Array> | undefined>;

export interface PageOptions {
  words: ToldWords;
  read: FileReader;
  /** Markdown as HTML. */
  draw?: (text: string) => string;
  /** What is said in place of a call that is not shown, or of what is left out of it. */
  withheld?: (callId: string) => { text: string; isAll: boolean } | undefined;
}

/** A part as HTML. Pictures go into it as they are read. */
export async function* toHtml(part: ToldPart, options: PageOptions): AsyncGenerator<string, void> {
  const { words, read, draw = markdownToHtml } = options;
  switch (part.kind) {
    case "question":
    case "said":
      yield `<section class="${part.kind}">\n`;
      if (part.kind === "said") yield label(words.said);
      yield plain(part.text);
      for (const file of part.files) yield* fileOf(file, read);
      return yield "</section>\n";
    case "answer":
      return yield `<section class="answer">${label(part.model ?? words.answer)}</section>\n`;
    case "text":
      return yield `<div class="text">\n${draw(part.text)}</div>\n`;
    case "json":
      return yield code(part.text);
    case "reasoning":
    case "summary":
      return yield `<details><summary>${escapeHtml(words[part.kind])}</summary>\n${draw(part.text)}</details>\n`;
    case "call":
      return yield* callOf(part, options);
  }
}

async function* callOf(
  { name, args, result }: Extract<ToldPart, { kind: "call" }>,
  { words, read, withheld }: PageOptions,
): AsyncGenerator<string, void> {
  const status = result && result.status !== "ok" ? ` (${escapeHtml(words.status[result.status])})` : "";
  yield `<details><summary><span class="name">${escapeHtml(name)}</span>${status}</summary>\n`;
  const left = result && withheld?.(result.id);
  if (left) yield label(left.text);
  if (!left?.isAll) {
    yield label(words.arguments);
    yield code(typeof args === "string" ? args : (JSON.stringify(args, null, 2) ?? ""));
    yield* resultOf(result, words, read);
  }
  yield "</details>\n";
}

async function* resultOf(
  result: ToolResult | null,
  words: ToldWords,
  read: FileReader,
): AsyncGenerator<string, void> {
  if (!result) return yield `<p>${escapeHtml(words.noResult)}</p>\n`;
  yield label(words.result);
  if (result.content.length === 0) yield `<p>${escapeHtml(words.empty)}</p>\n`;
  for (const content of result.content) yield* contentOf(content, read);
}

async function* contentOf(content: ToolContent, read: FileReader): AsyncGenerator<string, void> {
  if (content.type === "text") yield code(content.text);
  else if (content.type === "file") yield* fileOf(content, read);
  else yield `<p>${escapeHtml(content.title ?? content.name)}: <code>${escapeHtml(content.uri)}</code></p>\n`;
}

/** Pictures alone are inside: of others their name and size. */
async function* fileOf(file: FilePart, read: FileReader): AsyncGenerator<string, void> {
  const name = escapeHtml(file.name ?? file.mediaType);
  const bytes = isPicture.test(file.mediaType) ? await bytesOf(file, read) : undefined;
  if (!bytes) return yield `<span class="file">${name}${sizeOf(file)}</span>\n`;
  yield `<img alt="${name}" src="data:${file.mediaType};base64,`;
  yield* bytes;
  yield '">\n';
}

const isPicture = /^image\/(png|jpeg|gif|webp)$/;

async function bytesOf(file: FilePart, read: FileReader) {
  if (file.attachmentId === undefined) return isBase64(file.data) ? [file.data] : undefined;
  const bytes = await read(file.attachmentId);
  return bytes && base64Of(bytes);
}

/** A server says that it is; anything else could end the attribute. */
const isBase64 = (data: string): boolean => /^[A-Za-z0-9+/]*={0,2}$/.test(data);

const sizeOf = (file: FilePart): string =>
  file.attachmentId === undefined ? "" : ` (${Math.max(1, Math.round(file.size / 1024))} KB)`;

const label = (text: string): string => `<p class="label">${escapeHtml(text)}</p>\n`;

const code = (text: string): string => `<pre><code>${escapeHtml(text)}</code></pre>\n`;
