import { markdownCost } from "@/lib/protocol/markdown-cost";
import { blockPx, redactedPieces } from "@/lib/protocol/redacted-text";
import type { RedactedKind } from "@/lib/protocol/share-policy";
import type { ShareSnapshot } from "@/lib/protocol/shares";
import { partsOf, type ToldMessage, type ToldPart, type ToldWords } from "@/lib/protocol/told-parts";
import type { FileDeps } from "@/lib/server/attachments/attachments";
import type { Slots } from "@/lib/server/attachments/slots";
import type { BaseDeps } from "@/lib/server/base-deps";
import { answerFile } from "@/lib/server/transfer/file-answer";
import { fileName } from "@/lib/server/transfer/file-name";
import { escapeHtml, markdownToHtml, plain } from "@/lib/server/transfer/page-markdown";
import { type FileReader, toHtml } from "@/lib/server/transfer/page-parts";
import { toldPage } from "@/lib/server/transfer/told-page";
import { namesOfFiles } from "./shared-files";

/** What the file says beside the copy, in a reader's language. */
export interface ShareFileWords extends ToldWords {
  lang: string;
  from: string;
  /** Who has shared it, when it was frozen, what has answered, when its link ends; of these what there is. */
  meta(told: ToldOfCopy): string;
  /** In place of a call that the author has hidden. */
  hidden: string;
  /** Over one of which only the beginning is there. */
  shortened(characters: number): string;
  redacted(kind: RedactedKind): string;
}

export interface ToldOfCopy {
  author: string | undefined;
  createdAt: string;
  models: string[];
  expiresAt: string | null;
}

export interface SharedCopy {
  /** Whose files it shows. */
  userId: string;
  snapshot: ShareSnapshot;
  expiresAt: string | null;
}

/** What may be spent on the Markdown of a file, as on that of a page: somebody else asks for it, while others wait. */
const maxFileCost = 2_000_000;

/** A copy as one HTML file, with its pictures in it; made while it is read. */
export function shareFile(
  deps: FileDeps & Pick<BaseDeps, "log">,
  { userId, snapshot, expiresAt }: SharedCopy,
  { words, slots }: { words: ShareFileWords; slots: Slots },
): Promise<Response> {
  const models = [...new Set(snapshot.runs.map(({ model }) => modelNameOf(snapshot, model)))].filter(Boolean);
  const { author, createdAt } = snapshot;
  const meta = words.meta({ author, createdAt, models, expiresAt });
  const heading = blocksIn(escapeHtml(snapshot.title), words);
  const page = { lang: words.lang, title: snapshot.title, heading, meta, from: words.from };
  const own = namesOfFiles(snapshot);
  const read: FileReader = async (id) => {
    const row = own.has(id) ? await deps.store.attachments.get(userId, id) : undefined;
    if (!row || !(await deps.files.has(id))) return undefined;
    return (await deps.files.barePicture(id))?.pieces;
  };
  return answerFile(
    { log: deps.log, slots },
    {
      name: fileName(snapshot.title, "html"),
      type: "text/html; charset=utf-8",
      pieces: toldPage(page, partsInHtml(snapshot, words, read)),
    },
  );
}

async function* partsInHtml(snapshot: ShareSnapshot, words: ShareFileWords, read: FileReader) {
  let left = maxFileCost;
  const draw = (text: string) => {
    const cost = markdownCost(text);
    if (cost > left) return plain(text);
    left -= cost;
    return markdownToHtml(text);
  };
  const withheld = (id: string) => {
    const told = snapshot.withheld?.[id];
    if (!told) return undefined;
    const isAll = told.shown === "hidden";
    return { text: isAll ? words.hidden : words.shortened(told.characters ?? 0), isAll };
  };
  for await (const part of partsOf(messagesOf(snapshot)))
    if (isShown(part)) yield inBlocks(toHtml(named(part, snapshot), { words, read, draw, withheld }), words);
}

function* messagesOf({ messages }: ShareSnapshot): Generator<ToldMessage, void> {
  for (const message of messages) yield { message, runId: message.runId, model: message.model };
}

/** A summary that may tell of what is not shown is empty. */
const isShown = (part: ToldPart): boolean => part.kind !== "summary" || part.text !== "";

const named = (part: ToldPart, snapshot: ShareSnapshot): ToldPart =>
  part.kind === "answer" && part.model !== null
    ? { ...part, model: modelNameOf(snapshot, part.model) }
    : part;

const modelNameOf = ({ modelNames }: ShareSnapshot, id: string): string =>
  modelNames?.[id] ?? id.slice(id.indexOf("/") + 1);

/** What was redacted as blocks of ink, but not within the tags. A tag may go on in the next piece, as that of a picture does. */
async function* inBlocks(pieces: AsyncIterable<string>, words: ShareFileWords): AsyncGenerator<string, void> {
  for await (const piece of pieces)
    yield piece.includes("█")
      ? piece.replace(/<[^>]*(?:>|$)|[^<]+/g, (part) => (part.startsWith("<") ? part : blocksIn(part, words)))
      : piece;
}

const blocksIn = (html: string, { redacted }: ShareFileWords): string =>
  redactedPieces(html)
    .map((piece) =>
      typeof piece === "string"
        ? piece
        : `<span class="block" role="img" aria-label="${escapeHtml(redacted(piece.kind))}" style="width:${piece.blocks * blockPx}px"></span>`,
    )
    .join("");
