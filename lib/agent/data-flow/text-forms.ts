import { lowBytesOf, shortestPassage } from "./passages";

/** How often a text is unpacked: Base64 of JSON in a URL. */
const maxLevels = 3;

/** Of fewer letters of Base64 there come fewer characters than a passage has. */
const shortestBase64 = Math.ceil((shortestPassage * 4) / 3);

/**
 * A text without the escapes of JSON and of URLs, and what stands in it as Base64, so that the same words are the same
 * whatever they came through. What was Base64 is together at most as long as the text.
 */
export function formsOf(text: string): string[] {
  const forms: string[] = [];
  let room = text.length;
  let level = [text];
  for (let depth = 0; depth < maxLevels && level.length > 0; depth++) {
    const plain = level.map(withoutEscapes);
    forms.push(...plain);
    level = [];
    for (const decoded of plain.flatMap(decodeBase64In)) {
      if (room <= 0) return forms;
      level.push(decoded.slice(0, room));
      room -= decoded.length;
    }
  }
  return forms;
}

function withoutEscapes(text: string): string {
  const unquoted = text.includes("\\") ? text.replaceAll(jsonEscapes, unescapeJson) : text;
  if (!unquoted.includes("%")) return unquoted;
  return unquoted.replaceAll(urlEscapes, (bytes) =>
    Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

/** With all backslashes before it: a text can have been escaped more than once. */
const jsonEscapes = /\\+(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const urlEscapes = /(?:%[0-9a-fA-F]{2})+/g;
const controls: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

const unescapeJson = (_: string, code: string | undefined, letter = ""): string =>
  code === undefined ? (controls[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16));

function decodeBase64In(text: string): string[] {
  const decoded: string[] = [];
  const bytes = lowBytesOf(text);
  for (let from = 0; from + shortestBase64 <= bytes.length; ) {
    // From the end of the shortest one back: most words of a text are jumped over.
    let gap = from + shortestBase64 - 1;
    while (gap >= from && isBase64[bytes[gap] ?? 0] === 1) gap--;
    if (gap >= from) from = gap + 1;
    else {
      let to = from + shortestBase64;
      while (isBase64[bytes[to] ?? 0] === 1) to++;
      decoded.push(...decodeRun(text.slice(from, to)));
      from = to + 1;
    }
  }
  return decoded;
}

/** What is no letter of Base64 is skipped. What stands before it in a URL is of the same letters, so the first four letters of Base64 can be anywhere. */
function decodeRun(run: string): string[] {
  return [0, 1, 2, 3].flatMap((start) =>
    samplesOf(run, start).some(isText) ? [Buffer.from(run.slice(start), "base64").toString("utf8")] : [],
  );
}

/** As many letters of Base64: what stands round them in a URL is in none of them, or in one. */
const sampleSize = shortestBase64;

/** Beginning, middle and end: a long word, a hash or a picture is text nowhere. */
function samplesOf(run: string, start: number): string[] {
  const places = [start, run.length / 2, run.length - sampleSize].map((place) =>
    Math.max(start, start + 4 * Math.floor((place - start) / 4)),
  );
  return [...new Set(places)].map((place) => run.slice(place, place + sampleSize));
}

/** A character may be cut off at both ends. */
function isText(base64: string): boolean {
  const said = Buffer.from(base64, "base64").toString("utf8");
  return !/[\p{Cc}\uFFFD]/u.test(
    said
      .replace(/^\uFFFD{0,3}/, "")
      .replace(/\uFFFD{0,3}$/, "")
      .replace(/\s/g, ""),
  );
}

const isBase64 = new Uint8Array(1 << 8);
for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
  isBase64[letter.charCodeAt(0)] = 1;
