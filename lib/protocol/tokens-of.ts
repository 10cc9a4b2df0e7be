/**
 * About how many tokens a text is: four letters of Latin script to a token, one character of any other (Japanese,
 * Chinese, Cyrillic), which is rather too many than too few.
 */
export function tokensOf(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x2ff) wide++;
  return Math.ceil((text.length - wide) / 4) + wide;
}
