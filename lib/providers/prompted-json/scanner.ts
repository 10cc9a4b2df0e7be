/**
 * Finds the text of `{"response": "…` while the JSON around it is still being written, so that it can be shown as
 * it comes. Takes every character once. Quotes that the model forgot to escape belong to the text.
 */
export class ResponseScanner {
  /** All of the text so far; what has been shown cannot be taken back. */
  shown = "";
  private state: "looking" | "text" | "over" = "looking";
  /** From the first brace on, until it is clear what the object begins with. */
  private head = "";
  /** The end of what came, when only the next piece can tell what it means. */
  private held = "";

  /** Takes the next piece and returns what of the text is certain now. */
  add(piece: string): string {
    if (this.state === "text") return this.read(this.held + piece, false);
    if (this.state === "over") return "";
    const brace = this.head ? 0 : piece.indexOf("{");
    if (brace < 0) return "";
    this.head += piece.slice(brace);
    const [opening] = /^\{\s*["']?response["']?\s*:\s*"/.exec(this.head) ?? [];
    if (opening) {
      this.state = "text";
      return this.read(this.head.slice(opening.length), false);
    }
    if (this.head.length > longestHead) this.state = "over";
    return "";
  }

  /** What was held back, when nothing more comes. */
  end(): string {
    return this.state === "text" ? this.read(this.held, true) : "";
  }

  private read(raw: string, isEnd: boolean): string {
    let text = "";
    let at = 0;
    this.held = "";
    while (this.state === "text" && at < raw.length) {
      special.lastIndex = at;
      const next = special.exec(raw)?.index ?? raw.length;
      text += raw.slice(at, next);
      at = next;
      if (at === raw.length) break;
      const sign = raw[at] === "\\" ? readEscape(raw, at) : readQuote(raw, at, isEnd);
      if (sign === "unclear") {
        if (!isEnd) this.held = raw.slice(at);
        break;
      }
      if (sign === "closing") this.state = "over";
      else {
        text += sign.text;
        at += sign.length;
      }
    }
    this.shown += text;
    return text;
  }
}

const special = /["\\]/g;

/** `{ "response": "` with room for white space. */
const longestHead = 64;

interface Sign {
  text: string;
  length: number;
}

/** What follows tells the quote that ends the text from one inside it. */
function readQuote(raw: string, at: number, isEnd: boolean): Sign | "closing" | "unclear" {
  const after = raw.slice(at + 1, at + 200);
  if (/^\s*(\}|```|,\s*["'])/.test(after)) return "closing";
  if (/^\s*[,`]{0,2}\s*$/.test(after)) return isEnd ? "closing" : "unclear";
  return { text: '"', length: 1 };
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

function readEscape(raw: string, at: number): Sign | "unclear" {
  const letter = raw[at + 1];
  if (letter === undefined) return "unclear";
  if (letter !== "u") return { text: escapes[letter] ?? letter, length: 2 };
  const [whole, high] =
    /^\\u([dD][89abAB][\da-fA-F]{2})\\u[dD][c-fC-F][\da-fA-F]{2}|^\\u[\da-fA-F]{4}/.exec(
      raw.slice(at, at + 12),
    ) ?? [];
  // One half of a character is no character: the other half may come with the next piece.
  const isHalf = !high && /^\\u[dD][89abAB]/.test(raw.slice(at, at + 4));
  if ((!whole || isHalf) && raw.length < at + (isHalf ? 12 : 6)) return "unclear";
  if (!whole) return { text: letter, length: 2 };
  return { text: JSON.parse(`"${whole}"`) as string, length: whole.length };
}
