/** Characters of a name without its ending. */
const maxLength = 80;

/**
 * A title as the name of a file that every system takes: without what one of them forbids, what cannot be seen, and what turns
 * the direction of writing, so that the ending is where it seems to be.
 */
export function fileName(title: string, ending: string): string {
  const plain = [...title.slice(0, 4 * maxLength).toWellFormed()]
    .join("")
    .normalize("NFC")
    .replaceAll(/[\p{C}\u2028\u2029<>:"/\\|?*\uFFFD]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/^[. ]+|[. ]+$/g, "");
  const short = [...plain]
    .slice(0, maxLength)
    .join("")
    .replace(/[. ]+$/, "");
  const name = /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(short) ? `${short}_` : short;
  return `${name || "conversation"}.${ending}`;
}
