import { maxMathChars } from "@/lib/client/text/math-blocks";

/** Ends the formula that is still being written: it is shown as its source. */
export const unfinished = "\uE000";

type Code = number | null;
type State = (code: Code) => State | undefined;
interface Effects {
  enter(type: string): unknown;
  exit(type: string): unknown;
  consume(code: Code): void;
}
interface Tokenizer {
  previous: Code;
}
interface Compiler {
  stack: object[];
  enter(node: object, token: object): void;
  exit(token: object): void;
  sliceSerialize(token: object): string;
}

/** Formulas within text, for remark: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. In code and after a backslash they are text. */
export function remarkMath(this: unknown): void {
  const data = (this as { data(): Record<string, unknown[] | undefined> }).data();
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), syntax];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), tree];
}

const dollar = 36;
const backslash = 92;
const isEnd = (code: Code): boolean => code !== null && code < -2;
const isSpace = (code: Code): boolean => code === null || code < 0 || code === 32;
const isDigit = (code: Code): boolean => code !== null && code >= 48 && code <= 57;
const isCapital = (code: Code): boolean => code !== null && code >= 65 && code <= 90;
const isLatin = (code: Code): boolean => isCapital(code) || (code !== null && code >= 97 && code <= 122);

const syntax = {
  text: {
    [dollar]: { name: "math", tokenize: readDollars, previous: (code: Code) => code !== dollar },
    [backslash]: { name: "math", tokenize: readBrackets },
  },
};

/** `$`: as Pandoc reads it, and neither money nor variables of a shell (`$A:$B`); `$$` ends at the next `$$`. */
function readDollars(this: Tokenizer, effects: Effects, ok: State, nok: State): State {
  const follows = isLatin(this.previous) || isDigit(this.previous);
  const seen = new Seen();
  let size = 0;
  let closing = 0;
  const open: State = (code) => {
    if (code !== dollar) return size === 1 && (isSpace(code) || follows) ? nok(code) : inside(code);
    if (++size > 2) return nok(code);
    effects.consume(code);
    return open;
  };
  const close: State = (code) => {
    if (code === dollar) {
      if (++closing > size) return nok(code);
      effects.consume(code);
      return close;
    }
    if (closing < size) {
      closing = 0;
      return inside(code);
    }
    if (size === 1 && (isDigit(code) || isCapital(code) || seen.isProse())) return nok(code);
    return done(code);
  };
  const inside = reader(effects, nok, seen, (code) => {
    if (code !== dollar) return undefined;
    if (size === 1 && seen.endsWithSpace()) return nok;
    return close;
  });
  const done: State = (code) => {
    effects.exit("mathData");
    effects.exit("math");
    return seen.isEmpty() ? nok(code) : ok(code);
  };
  return (code) => {
    effects.enter("math");
    effects.enter("mathData");
    return open(code);
  };
}

/** `\(` and `\[`, up to the mark that belongs to it; without one they are escaped brackets. */
function readBrackets(this: Tokenizer, effects: Effects, ok: State, nok: State): State {
  const seen = new Seen();
  let end = 0;
  const bracket: State = (code) => {
    if (code !== 40 && code !== 91) return nok(code);
    end = code === 40 ? 41 : 93;
    effects.consume(code);
    return inside;
  };
  const afterBackslash: State = () => {
    effects.consume(backslash);
    return (next) => {
      if (next === 40 || next === 91) return nok(next);
      if (next !== end) {
        seen.add(backslash);
        return isSpace(next) ? inside(next) : takeOne(next);
      }
      effects.consume(next);
      effects.exit("mathData");
      effects.exit("math");
      return seen.isEmpty() ? nok : ok;
    };
  };
  const takeOne: State = (code) => {
    seen.add(code);
    effects.consume(code);
    return inside;
  };
  const inside = reader(effects, nok, seen, (code) => (code === backslash ? afterBackslash : undefined));
  return (code) => {
    effects.enter("math");
    effects.enter("mathData");
    effects.consume(code);
    return bracket;
  };
}

/** Takes what is inside, line by line; `stop` says what goes on at a mark. */
function reader(effects: Effects, nok: State, seen: Seen, stop: (code: Code) => State | undefined): State {
  const inside: State = (code) => {
    if (code === null || seen.isFull()) return nok(code);
    const next = stop(code);
    if (next) return next(code);
    if (isEnd(code)) {
      effects.exit("mathData");
      effects.enter("lineEnding");
      effects.consume(code);
      effects.exit("lineEnding");
      effects.enter("mathData");
      seen.add(code);
      return inside;
    }
    seen.add(code);
    effects.consume(code);
    return code === backslash ? escaped : inside;
  };
  const escaped: State = (code) => {
    if (isSpace(code)) return inside(code);
    seen.add(code);
    effects.consume(code);
    return inside;
  };
  return inside;
}

/** What a formula holds so far. */
class Seen {
  private text = "";

  add(code: Code): void {
    this.text += code === null || code < 0 ? " " : String.fromCharCode(code);
  }

  isFull = (): boolean => this.text.length > maxMathChars;
  isEmpty = (): boolean => this.text.trim() === "";
  endsWithSpace = (): boolean => /\s$/.test(this.text);

  /** "5 and ", "HOME is not ": words or sums with nothing of a formula between. */
  isProse(): boolean {
    if (/[\\^_={}<>]/.test(this.text)) return false;
    return /^[\d.,]+\s+\p{L}/u.test(this.text) || /\p{L}{2,}[,;:.]?\s+\p{L}{2,}/u.test(this.text);
  }
}

const tree = {
  enter: {
    math(this: Compiler, token: object) {
      this.enter({ type: "math", children: [] }, token);
    },
  },
  exit: {
    math(this: Compiler, token: object) {
      const source = this.sliceSerialize(token);
      const isWide = source.startsWith("$$") || source.startsWith("\\[");
      const edge = source.startsWith("$") && !isWide ? 1 : 2;
      const value = source.slice(edge, -edge).trim();
      Object.assign(this.stack.at(-1) ?? {}, {
        value,
        data: {
          hName: "span",
          hProperties: { dataMath: isWide ? "block" : "inline" },
          hChildren: [{ type: "text", value }],
        },
      });
      this.exit(token);
    },
  },
};
