/**
 * Saves what an element shows as one HTML file: its styles inside, no script, nothing that is fetched, its lines still
 * open and close. It follows the reader's light or dark.
 */
export function saveAsFile(
  shown: Element,
  { title, lang, mark }: { title: string; lang: string; mark: string },
): void {
  const url = URL.createObjectURL(new Blob([fileOf(shown, { title, lang, mark })], { type: "text/html" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${fileName(title)}.html`;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The file as text; `mark` says at its end where it comes from. */
export function fileOf(
  shown: Element,
  { title, lang, mark }: { title: string; lang: string; mark: string },
): string {
  const body = shown.cloneNode(true) as Element;
  // They need a script, or say where the page was.
  for (const element of body.querySelectorAll("button, script, style, link, noscript")) element.remove();
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:">
<title>${escapeHtml(title)}</title>
<style>${stylesOf(document)}</style>
</head>
<body>
<main>${body.innerHTML}<p class="col meta">${escapeHtml(mark)}</p></main>
</body>
</html>
`;
}

/** All rules of the page without those that would fetch something. */
function stylesOf({ styleSheets }: Document): string {
  return [...styleSheets]
    .flatMap((sheet) => [...rulesOf(sheet)])
    .map((rule) => rule.cssText)
    .filter((text) => !/^@(import|font-face)|url\((?!["']?data:)/i.test(text))
    .join("\n")
    .replaceAll("</", "<\\/");
}

function rulesOf(sheet: CSSStyleSheet): Iterable<CSSRule> {
  try {
    return sheet.cssRules;
  } catch {
    return []; // a browser extension's
  }
}

/** Without what some system forbids in a name. */
export function fileName(title: string): string {
  const plain = title
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f<>:"/\\|?*]+/g, " ")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+|[. ]+$/g, "")
    .slice(0, 80);
  return plain || "conversation";
}

const escapeHtml = (text: string) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
