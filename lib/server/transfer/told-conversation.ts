import { setImmediate as nextTurn } from "node:timers/promises";
import { heading, toMarkdown } from "@/lib/protocol/told-markdown";
import { partsOf, type ToldMessage, type ToldWords } from "@/lib/protocol/told-parts";
import { DeletedMeanwhile, type ExportDeps, type Exported } from "./conversation-json";
import { escapeHtml } from "./page-markdown";
import { toHtml } from "./page-parts";
import { pageStyle } from "./page-style";

/** What stands round the conversation, in a reader's language. */
export interface ExportWords extends ToldWords {
  lang: string;
  /** "Exported from Meguri". */
  from: string;
  /** Said when an answer was still on its way. */
  unfinished: string;
}

export interface ToldOptions {
  words: ExportWords;
  /** Whether what models wrote for themselves is told. */
  reasoning: boolean;
}

/** The current branch as Markdown. */
export async function* conversationMarkdown(
  deps: ExportDeps,
  exported: Exported,
  options: ToldOptions,
): AsyncGenerator<string, void> {
  const { words } = options;
  yield heading(1, exported.conversation.title);
  yield `${momentOf(exported, words)}\n\n`;
  if (isUnfinished(exported)) yield `**${words.unfinished}**\n\n`;
  for await (const part of partsTold(deps, exported, options)) yield toMarkdown(part, words);
}

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The same as one HTML file: no script, and nothing in it is fetched. */
export async function* conversationHtml(
  deps: ExportDeps,
  exported: Exported,
  options: ToldOptions,
): AsyncGenerator<string, void> {
  const { words } = options;
  const title = escapeHtml(exported.conversation.title);
  yield `<!doctype html>
<html lang="${words.lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1 dir="auto">${title}</h1>
<p class="meta">${escapeHtml(momentOf(exported, words))}</p>
`;
  if (isUnfinished(exported)) yield `<p class="meta warn">${escapeHtml(words.unfinished)}</p>\n`;
  yield "</header>\n";
  // A message may name a file that is not its own.
  const own = new Set(exported.files.map(({ id }) => id));
  const read = async (id: string) =>
    own.has(id) && (await deps.files.has(id)) ? deps.files.pieces(id) : undefined;
  for await (const part of partsTold(deps, exported, options)) {
    yield* toHtml(part, words, read);
    // One text may take long to draw; others are served in between.
    await nextTurn();
  }
  yield `<footer>${escapeHtml(words.from)}</footer>\n</main>\n</body>\n</html>\n`;
}

async function* partsTold(deps: ExportDeps, exported: Exported, { reasoning }: ToldOptions) {
  for await (const part of partsOf(branchOf(deps, exported)))
    if (reasoning || part.kind !== "reasoning") yield part;
}

/** From the first message to the leaf. */
async function* branchOf(
  { store }: ExportDeps,
  { conversation: { id, leafId }, messages }: Exported,
): AsyncGenerator<ToldMessage, void> {
  const parents = new Map(messages.map((message) => [message.id, message.parentId]));
  const ids: string[] = [];
  for (let at = leafId; at !== null && parents.has(at); at = parents.get(at) ?? null) ids.push(at);
  for (const messageId of ids.reverse()) {
    const row = await store.messages.get(id, messageId);
    if (!row) throw new DeletedMeanwhile();
    yield row;
  }
}

const isUnfinished = ({ unended }: Exported) => unended.length > 0;

function momentOf({ conversation: { updatedAt } }: Exported, { lang }: ExportWords): string {
  return new Intl.DateTimeFormat(lang, {
    ...{ year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit" },
    ...{ hourCycle: "h23", timeZone: "UTC", timeZoneName: "short" },
  }).format(updatedAt);
}
