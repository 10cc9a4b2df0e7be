/**
 * Parses the start of a JSON object: complete members, and an unfinished string as far as it goes; an unfinished
 * number or word is left out. Empty for anything but an object.
 */
export function readPartial(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(closed(text));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The text up to the last point at which it can be closed, with the closing brackets. */
function closed(text: string): string {
  const closers: string[] = [];
  let end = 0;
  let isKey = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    switch (sign) {
      case '"': {
        const { length, isOpen } = stringAt(text, at);
        if (isOpen) return (isKey ? text.slice(0, end) : `${text.slice(0, at + length)}"`) + closing(closers);
        at += length - 1;
        if (!isKey) end = at + 1;
        break;
      }
      case "{":
      case "[":
        closers.push(sign === "{" ? "}" : "]");
        isKey = sign === "{";
        end = at + 1;
        break;
      case "}":
      case "]":
        closers.pop();
        isKey = false;
        end = at + 1;
        break;
      case ",":
        isKey = closers.at(-1) === "}";
        end = at;
        break;
      case ":":
        isKey = false;
    }
  }
  return text.slice(0, end) + closing(closers);
}

const closing = (closers: readonly string[]) => closers.toReversed().join("");

/** The length of the string that starts here; of an unfinished one, up to an incomplete escape. */
function stringAt(text: string, start: number): { length: number; isOpen: boolean } {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return { length: at + 1 - start, isOpen: false };
    if (text[at] !== "\\") continue;
    const size = text[at + 1] === "u" ? 6 : 2;
    if (at + size > text.length) return { length: at - start, isOpen: true };
    at += size - 1;
  }
  return { length: text.length - start, isOpen: true };
}
