import { translator } from "@/lib/client/text/sentences";
import type { ConversationDetail } from "@/lib/protocol/http";
import type { OpenedRun } from "@/lib/protocol/opened-conversation";
import type { Locale } from "./messages";
import { sentences } from "./messages/ja/sentences";

/** Of one page; more of them are said in the page's language once it has loaded all sentences. */
const maxTexts = 64;
/** Characters: what is longer is no sentence, and takes long to look up. */
const longest = 300;

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
  const texts = new Set<string>();
  // The newest first; what people and models say is none of it.
  collect([live, ...brought.runs.toReversed()], texts);
  collect(brought.messages.filter(({ role }) => role === "tool").toReversed(), texts);
  return Object.fromEntries(
    [...texts].flatMap((text) => {
      const said = inJapanese(text);
      return said === text ? [] : [[text, said]];
    }),
  );
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (into.size >= maxTexts) return;
    if (typeof inner !== "string") collect(inner, into);
    else if (key === "message" || key === "text") {
      // Why a call failed is said by the first line of what it brought.
      const [line = ""] = inner.split("\n", 1);
      if (line !== "" && line.length <= longest) into.add(line);
    }
  }
}
