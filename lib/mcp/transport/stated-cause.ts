/** Long enough for a stack trace, short enough that an old complaint is not taken for the cause. */
const maxLines = 60;
const maxLength = 300;

/** What a process writes to stderr about why it ended. */
export class StatedCause {
  private readonly lines: string[] = [];

  add(line: string): void {
    const plain = line.slice(0, 2_000).replace(colours, "").trimEnd();
    if (plain.trim() === "" || isTrace(plain)) return;
    if (this.lines.push(plain) > maxLines) this.lines.shift();
  }

  /** The first line that names an error, else the last line; undefined without any. */
  get text(): string | undefined {
    const { lines } = this;
    const found = lines.find((line) => named.test(line)) ?? lines.find(complains) ?? lines.at(-1);
    return found?.trim().slice(0, maxLength);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals take for colours begins with one
const colours = /\u001b\[[0-9;]*m/g;

/** Stack frames, and the lines that runtimes and npm print around every failure. */
const isTrace = (line: string): boolean =>
  /^\s+at |^\s*\^+\s*$|^\s*throw |^\s+File "|^Traceback |^Node\.js v\d|^[\s{}[\]()]+$/.test(line) ||
  /^npm (?:error|ERR!) (?:code|errno|syscall|path|A complete log)\b|^npm (?:error|ERR!)$/.test(line);

/** `Error: …`, `ModuleNotFoundError: …`, `fatal: …`, and the error lines of npm and Docker. */
const named =
  /(?:^|[\s([])[\w.$]{0,100}(?:Error|Exception)(?: \[[\w-]{1,60}\])?: \S|^(?:error|fatal|panic)\b\W|^npm (?:error|ERR!) |Error response from daemon/i;

const complains = (line: string): boolean =>
  /\b(?:error|failed|failure|cannot|can't|could not|unable to|not found|no such|missing|required|invalid|refused|denied|must (?:be|have|set))\b/i.test(
    line,
  );
