import { saveText } from "@/components/ui/save-text";
import type { Assistant } from "@/lib/protocol/assistants";
import { efforts } from "@/lib/protocol/effort";
import { type AssistantDraft, toDraft } from "./assistant-draft";

const version = 1;
/** Of a file, in bytes: 100 KB of instructions written with escapes, and the rest. */
const maxBytes = 1_000_000;

/** What is wrong with a file; the words are the page's. */
export type FileFault = "tooLarge" | "notJson" | "notAssistant" | "newer";

/** What a file may say; everything else is refused, as nothing would be done with it. */
const texts = ["name", "icon", "description", "instructions", "model", "effort", "agent"] as const;
const known = new Set<string>([...texts, "servers", "deferred", "examples"]);

/** The file of an assistant: text and names alone, without its id. */
export function toFile({ id: _, ...assistant }: Assistant): string {
  return `${JSON.stringify({ meguri: "assistant", version, assistant }, null, 2)}\n`;
}

/** The form that a file fills in, or why it cannot; nothing is kept before the person saves it. */
export async function readFile(file: Blob): Promise<AssistantDraft | FileFault> {
  if (file.size > maxBytes) return "tooLarge";
  const content = parse(await file.text());
  if (content === undefined) return "notJson";
  if (!isObject(content) || content.meguri !== "assistant") return "notAssistant";
  if (typeof content.version === "number" && content.version > version) return "newer";
  return content.version === version && isAssistant(content.assistant)
    ? toDraft(content.assistant)
    : "notAssistant";
}

export const isFault = (read: AssistantDraft | FileFault): read is FileFault => typeof read === "string";

function isAssistant(value: unknown): value is Partial<Assistant> {
  if (!isObject(value)) return false;
  const { servers = [], examples = [], deferred = {} } = value;
  return (
    Object.keys(value).every((key) => known.has(key)) &&
    typeof value.name === "string" &&
    (value.effort === undefined || efforts.some((each) => each === value.effort)) &&
    texts.every((key) => value[key] === undefined || typeof value[key] === "string") &&
    isTexts(servers) &&
    isTexts(examples) &&
    isObject(deferred) &&
    Object.values(deferred).every((each) => typeof each === "boolean")
  );
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Saves it as others can read it in. */
export function saveFile(assistant: Assistant): void {
  // Letters and digits of any script are allowed in a name everywhere.
  const name = assistant.name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "assistant";
  saveText(`${name}.json`, toFile(assistant), "application/json");
}
