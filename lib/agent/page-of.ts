/** A page of a text that is too long for one answer, and where the next one begins; offsets in UTF-16 code units. */
export function pageOf(whole: string, length: number, offset = 0): string {
  if (offset >= whole.length) return `[The file ends at ${whole.length}.]`;
  const begin = splitsCharacter(whole, offset) ? offset - 1 : offset;
  const end = begin + length;
  // At least one whole character, however few are wanted.
  const page = whole.slice(begin, splitsCharacter(whole, end) ? end + 1 : end);
  const next = begin + page.length;
  const left = whole.length - next;
  return left > 0 ? `${page}\n[${left} characters follow; go on with offset ${next}.]` : page;
}

/** Between the halves of a surrogate pair, which no provider takes alone. */
const splitsCharacter = (text: string, at: number): boolean =>
  at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
