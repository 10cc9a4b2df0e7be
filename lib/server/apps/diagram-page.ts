import { frameAncestors } from "./app-policy";

/**
 * The Content-Security-Policy of the page that draws diagrams: no origin, no code but Mermaid's own files and ours, nothing
 * inline and nothing evaluated, and nothing that is fetched. What a diagram makes Mermaid do can reach nobody.
 */
export const diagramPolicy = (ancestors: readonly string[]): string =>
  [
    "sandbox allow-scripts",
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    frameAncestors(ancestors),
  ].join("; ");

export const diagramPage = `<!doctype html>
<html><head><meta charset="utf-8"><title>Diagrams</title></head><body><script type="module" src="/diagrams.mjs"></script></body></html>
`;

/** More is refused by Mermaid itself. */
const maxTextSize = 30_000;
const maxEdges = 400;
/** Characters of a drawing. */
const maxDrawing = 2_000_000;

/**
 * Draws what the page sends it, one diagram after the other, and sends it back as text that the page puts into an image: there
 * no script runs and nothing is loaded. What a diagram sets for itself (`%%{init}%%`) cannot change how it is bounded or how it looks.
 */
export const diagramScript = `import mermaid from "/mermaid/mermaid.esm.min.mjs";
const tell = (message) => parent.postMessage({ meguri: "diagram", ...message }, "*");
const ours = ["theme", "themeVariables", "themeCSS", "fontFamily", "htmlLabels", "look", "altFontFamily"];
const kept = ["secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering", "dompurifyConfig"];
// A picture in a diagram would be asked for by its address, and the policy would stop it: it is not asked for.
globalThis.Image = class {
  constructor() {
    throw new Error("Pictures in diagrams are not loaded.");
  }
};
let count = 0;
async function draw({ text, variables, dark }) {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    maxTextSize: ${maxTextSize},
    maxEdges: ${maxEdges},
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    theme: "base",
    darkMode: dark,
    themeVariables: variables,
    fontFamily: variables.fontFamily,
    secure: [...kept, ...ours],
  });
  const { svg, diagramType } = await mermaid.render("diagram" + ++count, text);
  const root = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  const [, , width, height] = (root.getAttribute("viewBox") ?? "").split(/[ ,]+/).map(Number);
  if (!(width > 0 && height > 0)) throw new Error("It has no size.");
  const title = root.querySelector("title")?.textContent ?? "";
  root.setAttribute("width", width);
  root.setAttribute("height", height);
  root.style.maxWidth = "";
  const drawing = new XMLSerializer().serializeToString(root);
  if (drawing.length > ${maxDrawing}) throw new Error("The drawing is too large.");
  return { drawing, width, height, title: title.slice(0, 200), kind: diagramType };
}
addEventListener("message", async ({ source, data }) => {
  if (source !== parent || data?.meguri !== "draw") return;
  try {
    tell({ id: data.id, ...(await draw(data)) });
  } catch (cause) {
    tell({ id: data.id, why: String(cause?.message ?? cause).slice(0, 2_000) });
  }
});
tell({ ready: true });
`;
