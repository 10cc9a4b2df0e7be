/**
 * The server's sentences in another language, keyed by the English one as in gettext. In both, `{x}` matches any words.
 * In the English one, `{?x}` means that these words are translated too if they are known, `{!x}` that the sentence only
 * matches if they are.
 */
export type Sentences = Readonly<Record<string, string>>;

export type Translate = (text: string) => string;

interface Template {
  /** The text before, between and after the placeholders. */
  fixed: readonly string[];
  holes: readonly { name: string; kind: "" | "?" | "!" }[];
  into: string;
}

/** Characters: a longer text is no sentence of ours. */
const longest = 4_000;
const deepest = 4;
/** Passes over all templates for one text: nested text that matches everywhere would otherwise take exponential time. */
const maxLooks = 100;
const maxKept = 500;

/** Translates a text that the server wrote; an unknown one is returned unchanged. */
export function translator(sentences: Sentences): Translate {
  const templates = Object.entries(sentences)
    .map(([english, into]) => ({ ...readTemplate(english), into }))
    // Where several match, the most specific one is meant.
    .sort((a, b) => b.fixed.join("").length - a.fixed.join("").length);
  // A page asks for the same few sentences at each render.
  const kept = new Map<string, string>();
  return (text) => {
    if (text.length > longest) return text;
    const known = kept.get(text);
    if (known !== undefined) return known;
    const said = new Search(templates).translate(text, 0) ?? text;
    if (kept.size >= maxKept) kept.clear();
    kept.set(text, said);
    return said;
  };
}

class Search {
  private looks = 0;

  constructor(private readonly templates: readonly Template[]) {}

  translate(text: string, depth: number): string | undefined {
    if (depth > deepest || ++this.looks > maxLooks) return undefined;
    for (const template of this.templates) {
      const words = match(text, template.fixed);
      const named = words && this.fill(template, words, depth);
      if (named) return put(named, template.into);
    }
    return undefined;
  }

  /** The words for the placeholders by name; undefined where words that must be a sentence are none. */
  private fill(
    { holes }: Template,
    words: readonly string[],
    depth: number,
  ): Map<string, string> | undefined {
    const named = new Map<string, string>();
    for (const [at, { name, kind }] of holes.entries()) {
      const word = words[at] ?? "";
      const said = kind === "!" ? this.translate(word, depth + 1) : word;
      if (said === undefined) return undefined;
      named.set(name, kind === "!" ? `${border}${said}${border}` : said);
    }
    for (const [at, { name, kind }] of holes.entries()) {
      const word = words[at] ?? "";
      const said = kind === "?" ? this.translate(word, depth + 1) : undefined;
      if (said !== undefined) named.set(name, `${border}${said}${border}`);
    }
    return named;
  }
}

/** A template has spaces round its placeholders, as names are mostly Latin; Japanese words of ours beside Japanese take none. */
const put = (named: ReadonlyMap<string, string>, into: string): string =>
  into.replace(/\{(\w+)\}/g, (whole, name: string) => named.get(name) ?? whole).replace(borders, "");

/** Round words that were translated, until the sentence stands. */
const border = "\0";
const wide = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\u30fc\uff01-\uff60]`;
const borders = new RegExp(
  `(?<=${wide}) ${border}(?=${wide})|(?<=${wide})${border} (?=${wide})|${border}`,
  "gu",
);

/** The words at the placeholders, each as short as possible. Not a regular expression: a hostile text could make it backtrack. */
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
