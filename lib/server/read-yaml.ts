import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  Lexer,
  LineCounter,
  Parser,
  type YAMLParseError,
} from "yaml";

/** Within a file, both counted from 1. */
export interface Position {
  line: number;
  column: number;
}

/** What is wrong with a text, in one sentence. */
export interface YamlProblem {
  message: string;
  at: Position;
}

export interface ReadYaml {
  document: Document;
  /** Place of this offset. */
  placeOf(offset: number): Position;
}

/** Words and signs of a text; with more, the search for keys that stand twice takes seconds. */
const maxLexemes = 30_000;
/** The parser takes the square of it. */
const maxDepth = 100;

/** Reads one YAML document, or says what is wrong first. In the time that the largest agent takes, whatever the text is. */
export function readYaml(text: string): ReadYaml | YamlProblem {
  const lines = new LineCounter();
  const placeOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  try {
    const composer = new Composer({ uniqueKeys: true, prettyErrors: false });
    const [document, second] = composer.compose(bounded(text, lines), true, text.length);
    const [error] = document?.errors ?? [];
    if (error) return { message: inPlainWords(error), at: placeOf(error.pos[0]) };
    if (second) return { message: "Only one document may stand in it.", at: placeOf(second.range[0]) };
    return { document: document as Document, placeOf };
  } catch (cause) {
    if (!(cause instanceof Excess)) throw cause;
    return { message: "This is nested too deep or has too many parts.", at: placeOf(cause.offset) };
  }
}

class Excess extends Error {
  constructor(readonly offset: number) {
    super("excess");
  }
}

/** What `Parser.parse` yields, up to the bounds. */
function* bounded(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > maxLexemes || parser.stack.length > maxDepth) throw new Excess(parser.offset);
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** What people do wrong, in place of the words of the specification. */
const words: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: "Indent with spaces: a tab cannot indent here.",
  BAD_INDENT: "This line is indented too little or too much for where it stands.",
  DUPLICATE_KEY: "This key stands here twice.",
  MISSING_CHAR: "Something is missing here, such as a closing quote or bracket, or the colon after a key.",
  MULTILINE_IMPLICIT_KEY: "A key has to stand on one line, with a colon after it.",
  BLOCK_AS_IMPLICIT_KEY: "Keys within a key begin on a line of their own.",
  BAD_SCALAR_START: "Put this text in quotes: it begins with a sign that means something else in YAML.",
  BAD_DQ_ESCAPE: "Within double quotes, write a backslash twice.",
  UNEXPECTED_TOKEN: "This does not belong here.",
};

/** A bracket that is never closed is told by the parser as a wrong indent. */
const inPlainWords = ({ code, message }: YAMLParseError): string =>
  words[/^Flow /.test(message) ? "MISSING_CHAR" : code] ?? sentence(message);

const sentence = (message: string) => (message.endsWith(".") ? message : `${message}.`);
