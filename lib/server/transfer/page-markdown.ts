import { Marked, type Tokens } from "marked";
import { markdownCost, maxBlockCost } from "@/lib/protocol/markdown-cost";

/** Makes what stands in HTML text of any text. */
export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/**
 * Markdown of a model as HTML that holds no element and no address but those made here: HTML in it is text, a picture is its
 * words, a link leads to the web or is none. What would take long to parse is text as it is.
 */
export function markdownToHtml(text: string): string {
  if (markdownCost(text) > maxBlockCost) return plain(text);
  try {
    return reader.parse(text, { async: false });
  } catch {
    return plain(text);
  }
}

export const plain = (text: string): string => `<p class="plain">${escapeHtml(text)}</p>\n`;

const reader = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ href, text }) => link(href, escapeHtml(text) || escapeHtml(href)),
    link({ href, tokens }) {
      return link(href, this.parser.parseInline(tokens));
    },
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    heading({ depth, tokens }: Tokens.Heading) {
      // The title of the page is the only one of its level.
      const level = Math.min(depth + 1, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    code: ({ text }) => `<pre><code>${escapeHtml(text)}</code></pre>\n`,
  },
});

const link = (href: string, words: string): string =>
  isWebAddress(href) ? `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${words}</a>` : words;

/** Whole addresses alone: a relative one would lead into the reader's own folders. */
function isWebAddress(href: string): boolean {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return false;
  return URL.canParse(href);
}
