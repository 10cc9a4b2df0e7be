/** About how many characters a text has that is too long; rounded up, so that it never looks short enough. */
export const aboutLength = (text: string): number => Math.ceil(text.length / 100_000) * 100_000;
