import katex from "katex";

export interface FormulaProps {
  tex: string;
  /** On lines of its own. */
  isBlock: boolean;
}

export type DrawnFormula = { html: string } | { why: string };

/** Tokens that macros of a formula may become: KaTeX counts how often one is replaced, and not by how much. */
const maxMacroChars = 50_000;
const maxExpand = 1_000;
/** In em: what a formula may ask for in the way of rules and gaps. */
const maxSize = 20;
const maxWhy = 200;

/**
 * Sets a formula, in the time that its length allows. Nothing in it can name an address (`trust`); TeX that is only
 * unusual is set (`strict`). Macros end with the formula that defines them.
 */
export function drawFormula(tex: string, isBlock: boolean): DrawnFormula {
  const budget = definesMacro.test(tex) ? Math.floor(maxMacroChars / tex.length) : maxExpand;
  try {
    const html = katex.renderToString(tex, {
      ...{
        displayMode: isBlock,
        throwOnError: true,
        trust: false,
        strict: "ignore",
        maxSize,
        errorColor: "currentColor",
      },
      maxExpand: Math.min(maxExpand, Math.max(10, budget)),
      macros: {},
    });
    return { html };
  } catch (cause) {
    return { why: cause instanceof Error ? reasonOf(cause) : String(cause) };
  }
}

/** The one line of KaTeX that says what is wrong, without its name and without the source, which stands beside it. */
const reasonOf = ({ message }: Error): string =>
  message
    .replace(/^KaTeX parse error: /, "")
    .replace(/ at (position \d+|end of input):[\s\S]*$/, " ($1)")
    .replace(/\s+/g, " ")
    .slice(0, maxWhy);

const definesMacro =
  /\\(?:[gex]?def|(?:re|provide)?newcommand|renewcommand|providecommand|let|futurelet|global|long)\b/;
