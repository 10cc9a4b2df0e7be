/**
 * The server's sentences in another language, by the English one, as gettext has them. In both, `{x}` stands for any
 * words. In the English one `{?x}` says that they are put into the other language as well where they can be, `{!x}`
 * that the whole is not this sentence where they cannot.
 */
export type Sentences = Readonly<Record<string, string>>;

export type Translate = (text: string) => string;

interface Template {
  /** What stands before, between and after the holes. */
  fixed: readonly string[];
  holes: readonly { name: string; kind: "" | "?" | "!" }[];
  into: string;
}

/** What nobody wrote as one sentence. */
const longest = 4_000;
const deepest = 4;

/** Puts a text that the server wrote into the other language; one that is not known comes back as it is. */
export function translator(sentences: Sentences): Translate {
  const templates = Object.entries(sentences)
    .map(([english, into]) => ({ ...readTemplate(english), into }))
    // The one that says most is meant, where several fit.
    .sort((a, b) => b.fixed.join("").length - a.fixed.join("").length);
  return (text) => (text.length > longest ? text : (translate(text, templates, 0) ?? text));
}

function translate(text: string, templates: readonly Template[], depth: number): string | undefined {
  if (depth > deepest) return undefined;
  for (const { fixed, holes, into } of templates) {
    const words = match(text, fixed);
    if (!words) continue;
    const values = words.map((word, at) => (holes[at]?.kind ? translate(word, templates, depth + 1) : word));
    if (values.some((value, at) => value === undefined && holes[at]?.kind === "!")) continue;
    const named = new Map(holes.map(({ name }, at) => [name, values[at] ?? words[at] ?? ""]));
    return into.replace(/\{(\w+)\}/g, (whole, name: string) => named.get(name) ?? whole);
  }
  return undefined;
}

/** The words in the holes, each as short as can be; no regular expression, which a foreign text could keep busy. */
function match(text: string, fixed: readonly string[]): string[] | undefined {
  const [first = "", ...rest] = fixed;
  const last = rest.pop();
  if (last === undefined) return text === first ? [] : undefined;
  if (!text.startsWith(first)) return undefined;
  const words: string[] = [];
  let from = first.length;
  for (const piece of rest) {
    const at = text.indexOf(piece, from + 1);
    if (at < 0) return undefined;
    words.push(text.slice(from, at));
    from = at + piece.length;
  }
  const end = text.length - last.length;
  if (end <= from || !text.endsWith(last)) return undefined;
  return [...words, text.slice(from, end)];
}

function readTemplate(english: string): Omit<Template, "into"> {
  const pieces = english.split(/\{([?!]?)(\w+)\}/);
  const fixed = pieces.filter((_, at) => at % 3 === 0);
  const holes = fixed.slice(1).map((_, at) => ({
    kind: pieces[at * 3 + 1] as "" | "?" | "!",
    name: pieces[at * 3 + 2] ?? "",
  }));
  return { fixed, holes };
}
