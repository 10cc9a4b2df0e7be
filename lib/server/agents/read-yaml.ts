import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from "yaml";

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
    if (error) return { message: sentence(error.message), at: placeOf(error.pos[0]) };
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

const sentence = (message: string) => (message.endsWith(".") ? message : `${message}.`);
