/** Of a text that is quoted, in characters. */
const maxQuote = 4_000;

/** The text as a Markdown quotation, cut where it is very long; empty for nothing but blanks. */
export function toQuote(text: string): string {
  const plain = text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\S\n]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+|\n+$/g, "");
  if (plain.trim() === "") return "";
  const isLong = plain.length > maxQuote;
  // Never in the middle of a character.
  const cut = isLong ? `${plain.slice(0, maxQuote).replace(/[\ud800-\udbff]$/, "")}…` : plain;
  return cut
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}
