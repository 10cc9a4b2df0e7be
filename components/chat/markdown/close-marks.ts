import remend from "remend";
import { mayHoldMath, openMath } from "@/lib/client/text/math-blocks";
import { unfinished } from "./math-syntax";

/** The source of a formula with which a growing paragraph begins. */
export function writtenMath(text: string): string | undefined {
  if (!/^ ?(?:\$\$|\\\[)/.test(text)) return undefined;
  const math = openMath(text);
  return math && text.slice(0, math.at).trim() === "" ? text.slice(math.at + 2) : undefined;
}

/** The text with its open marks closed for show. */
export function closeMarks(text: string): string {
  const math = mayHoldMath(text) ? openMath(text) : undefined;
  if (!math) return remend(text, remendOptions);
  const before = text.slice(0, math.at);
  const closed = remend(before, remendOptions);
  const after = closed.startsWith(before) ? closed.slice(before.length) : "";
  return `${after || closed === before ? before : closed}${text.slice(math.at)}${unfinished}${math.close}${after}`;
}

const remendOptions = { katex: false };
