import { setImmediate as nextTurn } from "node:timers/promises";
import { escapeHtml } from "./page-markdown";
import { pageStyle } from "./page-style";

/** What stands round a conversation that is told as a page. */
export interface ToldPage {
  lang: string;
  title: string;
  /** The same as HTML, where it is more than text. */
  heading?: string;
  /** One line below the title. */
  meta: string;
  warning?: string;
  /** Where the page comes from, at its end. */
  from: string;
}

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** One HTML file: no script, and nothing in it is fetched. Each part comes in pieces. */
export async function* toldPage(
  { lang, title, heading = escapeHtml(title), meta, warning, from }: ToldPage,
  parts: AsyncIterable<AsyncIterable<string>>,
): AsyncGenerator<string, void> {
  yield `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1 dir="auto">${heading}</h1>
<p class="meta">${escapeHtml(meta)}</p>
`;
  if (warning !== undefined) yield `<p class="meta warn">${escapeHtml(warning)}</p>\n`;
  yield "</header>\n";
  for await (const part of parts) {
    yield* part;
    // One text may take long to draw; others are served in between.
    await nextTurn();
  }
  yield `<footer>${escapeHtml(from)}</footer>\n</main>\n</body>\n</html>\n`;
}
