/**
 * Control, bidirectional, invisible and unpaired characters; the line feed, the carriage return and the tab are none.
 * Joiners and selectors between and after the parts of an emoji draw it and hide nothing.
 */
const invisible =
  /(?<emoji>(?<=\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?)\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic}))|(?![\n\r\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The text with everything that cannot be seen written out, like `\u202e`. */
export function showInvisible(text: string): string {
  return text.replace(invisible, (char, emoji: string | undefined) =>
    emoji === undefined ? written(char) : char,
  );
}

/** The text without anything that cannot be seen. */
export const withoutInvisible = (text: string): string =>
  text.replace(invisible, (_, emoji: string | undefined) => emoji ?? "");

export const hasInvisible = (text: string): boolean => showInvisible(text) !== text;

function written(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
