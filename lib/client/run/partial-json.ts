/**
 * The object of which this JSON text is the beginning, as far as it goes: whole members, and an open string up to its
 * end; a number or word that may still grow is left out. Empty for what is no object.
 */
export function readPartial(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(closed(text));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The text up to the last place where it can be closed, with what closes it. */
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

/** How long the string is that begins here; of an open one, up to an escape that is not yet whole. */
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
