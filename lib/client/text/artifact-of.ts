import { withoutInvisible } from "@/lib/protocol/show-invisible";
import type { Fence } from "./fences";

export type ArtifactKind = "html" | "svg" | "markdown" | "code";

/** What a fenced block is as an artifact; the same kind and name later in a conversation are its next version. */
export interface ArtifactForm {
  kind: ArtifactKind;
  /** Its title or file name; null where the model gave none. */
  name: string | null;
  /** The word for its language, without a file name; empty where there is none. */
  language: string;
}

/** Code of as many lines stays in the answer. */
const maxShownLines = 15;
const maxName = 120;
/** A title stands near the beginning, and nothing else is searched for it. */
const searched = 8_000;

/** Null for a block that stays in the answer: short code, what is drawn there, and text that is no code, as the words of a tool. */
export function artifactOf({ language: word, info, code }: Fence): ArtifactForm | null {
  const [language = "", path] = word.split(":", 2);
  const kind = kindOf(language.toLowerCase(), code);
  if (kind === null) return null;
  const head = code.slice(0, searched);
  const found = infoName(info, path) ?? commentName(head) ?? titleOf(kind, head);
  const name = found && clean(found);
  if (kind === "code" && !name && plain.has(language.toLowerCase())) return null;
  return { kind, name: name || null, language };
}

export const countLines = (code: string): number => {
  let lines = 1;
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) lines++;
  return lines;
};

/** No language of programs. */
const plain = new Set(["", "text", "txt", "plaintext"]);
/** Formulas and diagrams are drawn in the answer. */
const drawn = new Set(["mermaid", "math", "latex", "tex", "katex"]);

function kindOf(language: string, code: string): ArtifactKind | null {
  switch (language) {
    case "html":
    case "svg":
      return language;
    case "md":
    case "markdown":
      return "markdown";
    case "xml":
      if (/^\s*(?:<\?xml[^>]{0,200}\?>\s*)?<svg[\s/>]/.test(code.slice(0, 500))) return "svg";
      break;
  }
  return drawn.has(language) || countLines(code.trimEnd()) <= maxShownLines ? null : "code";
}

/** `title="…"` and the like after the language, `ts:src/app.ts`, or a word there that looks like a file. */
function infoName(info: string, path: string | undefined): string | undefined {
  const named = /(?:^|[\s{,])(?:title|filename|file|name)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s,}]+))/i.exec(
    info,
  );
  return named?.[1] ?? named?.[2] ?? named?.[3] ?? (path || undefined) ?? files.exec(info)?.[0];
}

/** A first line that is a comment and says a file name, or what it is called. */
function commentName(head: string): string | undefined {
  const line = head.trimStart().split("\n", 1)[0]?.trim().slice(0, 400) ?? "";
  const said = comment.exec(line)?.slice(1).find(Boolean)?.trim() ?? "";
  const [, told] = /^(?:title|file ?name|file|path)\s*[:=]\s*(.+)$/i.exec(said) ?? [];
  if (told) return told.replace(/^(["'`])(.*)\1$/, "$2");
  return wholeFile.test(said) ? said : undefined;
}

const comment = /^(?:<!--(.*?)-->|\/\*+(.*?)\*\/|(?:\/\/|#(?!!)|--|;|%)\s*(.*))$/;
const extension = "[A-Za-z][A-Za-z0-9]{0,9}";
const wholeFile = new RegExp(`^[\\p{L}\\p{N}_.@/\\\\ -]{0,100}[\\p{L}\\p{N}_)\\]-]\\.${extension}$`, "u");
const files = new RegExp(`(?<=^|\\s)[\\p{L}\\p{N}_./@-]{1,100}\\.${extension}(?=\\s|$)`, "u");

function titleOf(kind: ArtifactKind, head: string): string | undefined {
  switch (kind) {
    case "markdown":
      return /^ {0,3}#{1,6}[ \t]+([^\n]{1,300}?)[ \t]*#*$/m.exec(head)?.[1]?.replace(/[*_`]/g, "");
    case "html":
      return element("title", head) ?? element("h1", head);
    case "svg":
      return element("title", head);
    case "code":
      return undefined;
  }
}

function element(name: string, head: string): string | undefined {
  const text = new RegExp(`<${name}(?:\\s[^>]{0,200})?>([^<]{1,300})<`, "i").exec(head)?.[1];
  return text?.replace(
    /&(amp|lt|gt|quot|#39|nbsp);/g,
    (_, entity: keyof typeof entities) => entities[entity],
  );
}

const entities = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " } as const;

/** One line of characters that can be seen. */
function clean(name: string): string {
  const plain = withoutInvisible(name).replace(/\s+/g, " ").trim();
  return [...plain].slice(0, maxName).join("");
}
