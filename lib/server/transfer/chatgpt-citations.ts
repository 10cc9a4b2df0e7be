import { firstText, type JsonObject, toObject, toObjects } from "./shape";

/** `\ue200cite\ue202turn0search1\ue201` since 2024, `【11†source】` before. */
const marker = /\ue200[^\ue200\ue201]{0,1000}\ue201|【\d+(?::\d+)?†[^【】]{0,300}】/g;

/** Texts of one message in which citations are looked up by their place; an answer is one. */
const maxPlaced = 10;
/** Of one message. */
const maxCitations = 1_000;

/**
 * Gives texts of a message with links in place of the marks that ChatGPT's page replaces; marks that nothing is known of go.
 * What the message says of them is read once, however many parts it has.
 */
export function citationLinker(metadata: JsonObject): (text: string) => string {
  let known: ReadonlyMap<string, string> | undefined;
  let placed = 0;
  return (text) => {
    if (!/[\ue200【]/.test(text)) return text;
    known ??= linksOf(metadata);
    const links = placed++ < maxPlaced ? withOldCitations(known, text, metadata) : known;
    return text.replaceAll(marker, (mark) => links.get(mark) ?? "");
  };
}

function linksOf(metadata: JsonObject): Map<string, string> {
  const links = new Map<string, string>();
  for (const reference of toObjects(metadata.content_references)) {
    const matched = firstText(reference.matched_text);
    if (matched !== undefined) links.set(matched.trim(), referenceLinks(reference));
  }
  return links;
}

function referenceLinks(reference: JsonObject): string {
  const items = toObjects(reference.items);
  const links = (items.length > 0 ? items : [reference]).flatMap(
    (item) => link(item.title ?? item.attribution, item.url) ?? [],
  );
  return links.length > 0 ? ` (${links.slice(0, 10).join(", ")})` : "";
}

/** Characters of a text in which places are counted; answers are a hundred times shorter. */
const maxCounted = 1_000_000;

/** They say where in the text they stand, in characters as Python counts them. */
function withOldCitations(
  known: ReadonlyMap<string, string>,
  text: string,
  metadata: JsonObject,
): ReadonlyMap<string, string> {
  const citations = toObjects(metadata.citations).slice(0, maxCitations);
  if (citations.length === 0 || text.length > maxCounted) return known;
  const links = new Map(known);
  const characters = [...text];
  for (const citation of citations) {
    const { start_ix: start, end_ix: end } = citation;
    if (typeof start !== "number" || typeof end !== "number") continue;
    if (start < 0 || end < start || end - start > 400) continue;
    const { title, url } = toObject(citation.metadata);
    const replacement = link(title, url);
    if (replacement) links.set(characters.slice(start, end).join(""), ` (${replacement})`);
  }
  return links;
}

/** Markdown; only addresses that a browser opens as a page. */
function link(title: unknown, url: unknown): string | undefined {
  const address = firstText(url);
  if (address === undefined || address.length > 2_000 || !/^https?:\/\/\S+$/.test(address)) return undefined;
  const host = URL.parse(address)?.hostname;
  if (host === undefined) return undefined;
  const words = (firstText(title) ?? host).slice(0, 200).replaceAll(/[[\]\\\n]/g, " ");
  return `[${words.trim() || "link"}](${address.replaceAll("(", "%28").replaceAll(")", "%29").replaceAll("<", "%3C")})`;
}
