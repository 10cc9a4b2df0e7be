import { type ParseErrorCode, parse, printParseErrorCode, visit } from "jsonc-parser";
import { ConfigFault } from "./config-fault";

/** A configuration is written by hand and is never longer. */
const maxBytes = 1024 * 1024;

/** Decodes UTF-8; throws a `ConfigFault` with the first line that is not valid. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length > maxBytes)
    throw new ConfigFault(`It has ${megabytes(bytes.length)} MB; at most 1 MB is read. Make it smaller.`);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ConfigFault("It holds bytes that are not UTF-8. Save it as UTF-8.", firstBadLine(bytes));
  }
}

/**
 * Standard JSON, without duplicate names in an object and without `__proto__`. Throws a `ConfigFault` with the line of
 * the first fault.
 */
export function parseStrictJson(text: string): unknown {
  assertReadable(text, false);
  return JSON.parse(text);
}

/** The same with comments and trailing commas, as in editors and instructions. */
export function parseCommentedJson(text: string): unknown {
  assertReadable(text, true);
  return parse(text, [], { allowTrailingComma: true });
}

function assertReadable(text: string, isLoose: boolean): void {
  if (text.length > maxBytes)
    throw new ConfigFault(`It has ${megabytes(text.length)} MB; at most 1 MB is read. Make it smaller.`);
  const fault = findFault(text, isLoose);
  if (fault) throw fault;
}

function findFault(text: string, isLoose: boolean): ConfigFault | undefined {
  let fault: ConfigFault | undefined;
  const note = (message: string, line: number) => {
    fault ??= new ConfigFault(message, line + 1);
  };
  const names: Set<string>[] = [];
  try {
    visit(
      text,
      {
        onObjectBegin: () => {
          names.push(new Set());
        },
        onObjectEnd: () => {
          names.pop();
        },
        onObjectProperty: (name, _offset, _length, line) => {
          if (name === "__proto__") note('The name "__proto__" is not allowed. Choose another one.', line);
          if (names.at(-1)?.has(name)) note(`The name "${name}" appears twice. Remove one of the two.`, line);
          names.at(-1)?.add(name);
        },
        onError: (code, _offset, _length, line) => note(explainCode(code), line),
      },
      { disallowComments: !isLoose, allowTrailingComma: isLoose },
    );
  } catch {
    return new ConfigFault("It is nested too deeply to be a configuration.");
  }
  return fault;
}

function explainCode(code: ParseErrorCode): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the parser's codes
  switch (printParseErrorCode(code)) {
    case "InvalidSymbol":
      return "This is not valid JSON. Put names and texts in double quotes.";
    case "PropertyNameExpected":
      return 'A name in double quotes is expected; is there a comma too many before "}"?';
    case "ValueExpected":
      return "A value is expected; is there a comma too many before it?";
    case "InvalidCommentToken":
      return "Comments are not allowed in this file. Remove it.";
    case "ColonExpected":
      return 'A ":" is expected after the name.';
    case "CommaExpected":
      return 'A "," is expected between two entries.';
    case "CloseBraceExpected":
      return 'A "}" is missing.';
    case "CloseBracketExpected":
      return 'A "]" is missing.';
    case "EndOfFileExpected":
      return "There is text after the end of the JSON. Remove it.";
    case "UnexpectedEndOfString":
      return "A text is not closed with a double quote.";
    default:
      return "This is not valid JSON.";
  }
}

function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  let start = 0;
  while (start < bytes.length) {
    const found = bytes.indexOf(0x0a, start);
    const end = found === -1 ? bytes.length : found;
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = end + 1;
    line++;
  }
  return line;
}

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
