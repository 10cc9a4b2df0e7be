import type { UserMessage } from "@/lib/protocol/message";

/** Of a conversation without a question. */
export const untitled = "…";

const maxLength = 60;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** What a question says, or the name of its first file. */
export function textOfQuestion(parts: UserMessage["parts"]): string {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const file = parts.find((part) => part.type === "file");
  return text || (file?.name ?? "");
}

/** A conversation's first title: the first line of the first message, cut at a word. */
export function titleFrom(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.replaceAll(/\s+/g, " ").trim() ?? "";
  if (line === "") return untitled;
  if (line.length <= maxLength) return line;
  const graphemes = [...segmenter.segment(line.slice(0, 400))];
  if (graphemes.length <= maxLength) return line;
  const cut = graphemes
    .slice(0, maxLength)
    .map(({ segment }) => segment)
    .join("");
  // Words are not apart by spaces in Japanese: there the cut stays where it is.
  const space = cut.lastIndexOf(" ");
  return `${space > maxLength / 2 ? cut.slice(0, space) : cut}…`;
}
