import { saveText } from "@/components/ui/save-text";
import { safeFileName } from "@/lib/client/text/safe-file-name";

/**
 * Saves what an element shows as one HTML file: its styles inside, no script, nothing that is fetched, its lines still
 * open and close. It follows the reader's light or dark.
 */
export async function saveAsFile(shown: Element, words: FileWords): Promise<void> {
  const html = fileOf(await withFiles(shown), words, await stylesOf(document));
  saveText(`${safeFileName(words.title)}.html`, html, "text/html");
}

export interface FileWords {
  title: string;
  lang: string;
  /** Says at the end where it comes from. */
  mark: string;
}

/** A copy whose files are in it; addresses of ours would lead nowhere, and tell the link. */
async function withFiles(shown: Element): Promise<Element> {
  const copy = shown.cloneNode(true) as Element;
  const known = new Map<string, Promise<string>>();
  const inline = async (element: Element, attribute: "src" | "href") => {
    const address = element.getAttribute(attribute) ?? "";
    const data = known.get(address) ?? dataOf(address);
    known.set(address, data);
    element.setAttribute(attribute, await data);
  };
  for (const link of copy.querySelectorAll("a[data-image]")) link.replaceWith(...link.childNodes);
  await Promise.all([
    ...[...copy.querySelectorAll('[src^="/api/"]')].map((element) => inline(element, "src")),
    ...[...copy.querySelectorAll('a[href^="/api/"]')].map((element) => inline(element, "href")),
  ]);
  return copy;
}

async function dataOf(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) return "data:,";
  const reader = new FileReader();
  reader.readAsDataURL(await response.blob());
  await new Promise((resolve) => reader.addEventListener("loadend", resolve, { once: true }));
  return String(reader.result);
}

export function fileOf(body: Element, { title, lang, mark }: FileWords, styles: string): string {
  for (const button of body.querySelectorAll("th button")) button.replaceWith(...button.childNodes);
  for (const table of body.querySelectorAll("table[data-folded]")) table.removeAttribute("data-folded");
  // They need a script, or say where the page was.
  for (const kept of body.querySelectorAll("[data-kept-code]")) kept.removeAttribute("hidden");
  for (const element of body.querySelectorAll("button, script, style, link, noscript")) element.remove();
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:">
<title>${escapeHtml(title)}</title>
<style>${styles.replaceAll("</", "<\\/")}</style>
</head>
<body>
<main>${body.innerHTML}<p class="column meta">${escapeHtml(mark)}</p></main>
</body>
</html>
`;
}

/** As the server sent them: rules that are read back from the page lose shorthands that hold variables. */
async function stylesOf(page: Document): Promise<string> {
  const links = page.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]');
  const sheets = await Promise.all([...links].map(async ({ href }) => (await fetch(href)).text()));
  return sheets.join("\n");
}

const escapeHtml = (text: string) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
