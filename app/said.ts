import { translator } from "@/lib/client/text/sentences";
import type { ConversationDetail } from "@/lib/protocol/http";
import type { OpenedRun } from "@/lib/protocol/opened-conversation";
import type { Locale } from "./messages";
import { sentences } from "./messages/ja/sentences";

/** Of one page; more of them are said in the page's language once it has loaded all sentences. */
const maxTexts = 64;
/** Characters: what is longer is no sentence, and takes long to look up. */
const longest = 300;
/** Values that are looked at: results of tools can be anything, and a share may hold megabytes of them. */
const maxLooks = 20_000;
/** How deep a sentence of ours stands, at most. */
const maxDepth = 10;

const inJapanese = translator(sentences);

/**
 * What the server wrote for people in the runs and results that a page brings along, in the language of the page: English
 * is what it writes. So that the page is drawn in one language from the beginning.
 */
export function saidIn(
  locale: Locale,
  brought: Pick<ConversationDetail, "messages" | "runs"> | undefined,
  live?: OpenedRun | null,
): Record<string, string> {
  if (locale !== "ja" || !brought) return {};
  const found: Found = { texts: new Set(), looks: 0 };
  // The newest first; what people and models say is none of it.
  collect([live, ...brought.runs.toReversed()], found);
  collect(brought.messages.filter(({ role }) => role === "tool").toReversed(), found);
  return Object.fromEntries(
    [...found.texts].flatMap((text) => {
      const said = inJapanese(text);
      return said === text ? [] : [[text, said]];
    }),
  );
}

interface Found {
  texts: Set<string>;
  looks: number;
}

function collect(value: unknown, found: Found, depth = 0): void {
  if (typeof value !== "object" || value === null || depth > maxDepth) return;
  for (const key in value) {
    if (found.texts.size >= maxTexts || ++found.looks > maxLooks) return;
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner !== "string") collect(inner, found, depth + 1);
    else if (key === "message" || key === "text") {
      // Why a call failed is said by the first line of what it brought.
      const [line = ""] = inner.split("\n", 1);
      if (line !== "" && line.length <= longest) found.texts.add(line);
    }
  }
}
