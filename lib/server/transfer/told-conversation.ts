import { heading, toMarkdown } from "@/lib/protocol/told-markdown";
import { partsOf, type ToldMessage, type ToldWords } from "@/lib/protocol/told-parts";
import { DeletedMeanwhile, type ExportDeps, type Exported } from "./conversation-json";
import { toHtml } from "./page-parts";
import { toldPage } from "./told-page";

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

/** The same as one HTML file. */
export function conversationHtml(
  deps: ExportDeps,
  exported: Exported,
  options: ToldOptions,
): AsyncGenerator<string, void> {
  const { words } = options;
  const page = {
    ...{
      lang: words.lang,
      title: exported.conversation.title,
      meta: momentOf(exported, words),
      from: words.from,
    },
    ...(isUnfinished(exported) && { warning: words.unfinished }),
  };
  return toldPage(page, partsInHtml(deps, exported, options));
}

async function* partsInHtml(deps: ExportDeps, exported: Exported, options: ToldOptions) {
  // A message may name a file that is not its own.
  const own = new Set(exported.files.map(({ id }) => id));
  const read = async (id: string) =>
    own.has(id) && (await deps.files.has(id)) ? deps.files.pieces(id) : undefined;
  for await (const part of partsTold(deps, exported, options))
    yield toHtml(part, { words: options.words, read });
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
