import type { SecretKind } from "./secret-shapes";
import type { SharePolicy, ShownOfCall } from "./shares";

/** What a text may be that is looked at before it is shared. */
export type RedactedKind = SecretKind | "e-mail address" | "internal host" | "private address" | "local path";

/**
 * What is looked at: such texts, and files. `file properties`: one that may say beside its content who made it, which cannot be
 * taken out; `damaged picture`: one that nobody can look through, so that it is left out whatever is decided.
 */
export type FindingKind = RedactedKind | "file properties" | "damaged picture";

/** Where in a copy something is; `tool` by its qualified name. */
export interface FindingPlace {
  in: "title" | "question" | "answer" | "reasoning" | "arguments" | "result" | "file" | "summary" | "other";
  tool?: string;
}

/** A text in a copy that may be private. */
export interface ShareFinding {
  /** The same for the same text, in every copy. */
  id: string;
  kind: FindingKind;
  /** Enough to recognise it; of a secret too little to use it. */
  excerpt: string;
  /** Where it stands first. */
  where: FindingPlace;
  count: number;
  /** Null: the link is held back. */
  decision: FindingDecision | null;
}

export type FindingDecision = "redact" | "accept";

/** What a policy shows of the calls of a tool, by its qualified name; the most exact entry wins. */
export function shownOf(name: string, { default: other, tools }: SharePolicy): ShownOfCall {
  const at = name.indexOf("__");
  const server = at < 0 ? name : name.slice(0, at);
  const own = (key: string) => (Object.hasOwn(tools, key) ? tools[key] : undefined);
  return own(name) ?? own(`${server}__*`) ?? other;
}
