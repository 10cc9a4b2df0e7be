const open = "<think>";
const close = "</think>";
/** What a line begins with that may be a tag or a fence. */
const mayMatter = " <`~";

/**
 * Tells thoughts from text where a model writes both as one: `<think>…</think>` at the beginning of a line, outside fenced code.
 * What is not closed are thoughts to the end. A tag may come in pieces: as long as what comes could be one, it is held back.
 */
export class ThinkTags {
  private isThinking = false;
  /** In a line of text: what of its beginning could still become a tag or a fence; undefined once that is settled. */
  private head: string | undefined = "";
  /** The marks that the code begins with, in which nothing is a tag. */
  private fence: string | undefined;
  /** Of thoughts: an end that could be that of a tag. */
  private tail = "";
  /** Nothing of these thoughts, or of the text behind them, but white space has come. */
  private isBlank = false;

  constructor(
    private readonly say: (text: string) => void,
    private readonly think: (text: string) => void,
  ) {}

  feed(piece: string): void {
    // In the middle of a line, which is nearly always, a look for its end is all.
    if (!this.isThinking && this.head === undefined && !piece.includes("\n")) this.say(piece);
    else this.read(piece);
  }

  /** Nothing more comes: what was held back is what it looks like. */
  end(): void {
    if (this.isThinking) this.pass(this.tail);
    else if (this.head) this.say(this.head);
    this.tail = "";
    this.head = undefined;
  }

  private read(piece: string): void {
    let rest = piece;
    while (rest !== "") rest = this.isThinking ? this.readThoughts(rest) : this.readText(rest);
  }

  /** One line of text at most; what comes after it is returned. */
  private readText(piece: string): string {
    if (this.isBlank) {
      const text = piece.trimStart();
      if (text === "") return "";
      this.isBlank = false;
      return text;
    }
    const at = piece.indexOf("\n") + 1;
    const line = at === 0 ? piece : piece.slice(0, at);
    const rest = piece.slice(line.length);
    if (this.head === undefined) this.say(line);
    else if (this.readHead(this.head + line)) return this.afterOpen(rest);
    if (at > 0) this.head = "";
    return rest;
  }

  /** Whether thoughts begin here; then what stands behind the tag is read by `afterOpen`. */
  private readHead(line: string): boolean {
    // Most lines begin with a word.
    if (!mayMatter.includes(line.charAt(0))) {
      this.head = undefined;
      this.say(line);
      return false;
    }
    // What is indented further is code.
    const start = line.replace(/^ {0,3}/, "");
    if (this.fence === undefined && start.startsWith(open)) {
      this.head = start.slice(open.length);
      return true;
    }
    const isOpen = !line.endsWith("\n") && couldBegin(start, this.fence);
    this.head = isOpen ? line : undefined;
    if (isOpen) return false;
    const [marks] = /^(`{3,}|~{3,})/.exec(start) ?? [];
    if (marks && this.fence === undefined) this.fence = marks;
    else if (marks && this.fence !== undefined && marks.startsWith(this.fence)) this.fence = undefined;
    this.say(line);
    return false;
  }

  private afterOpen(rest: string): string {
    const behind = this.head ?? "";
    this.isThinking = true;
    this.isBlank = true;
    this.head = undefined;
    return behind + rest;
  }

  private readThoughts(piece: string): string {
    const text = this.tail + piece;
    const at = text.indexOf(close);
    if (at < 0) {
      const held = heldBack(text);
      this.tail = text.slice(text.length - held);
      this.pass(text.slice(0, text.length - held));
      return "";
    }
    this.pass(text.slice(0, at).trimEnd());
    this.tail = "";
    this.isThinking = false;
    this.isBlank = true;
    this.head = "";
    return text.slice(at + close.length);
  }

  private pass(thoughts: string): void {
    const text = this.isBlank ? thoughts.trimStart() : thoughts;
    if (text === "") return;
    this.isBlank = false;
    this.think(text);
  }
}

/** Whether a line that begins like this may still turn out to begin with a tag or a fence. */
function couldBegin(start: string, fence: string | undefined): boolean {
  if (start === "" || /^(`{1,20}|~{1,20})$/.test(start)) return true;
  return fence === undefined && open.startsWith(start);
}

/** How many characters at the end could be the beginning of the closing tag. */
function heldBack(text: string): number {
  for (let size = Math.min(close.length - 1, text.length); size > 0; size--)
    if (text.endsWith(close.slice(0, size))) return size;
  return 0;
}
