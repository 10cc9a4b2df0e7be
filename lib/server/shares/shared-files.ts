import type { StoredMessage } from "@/lib/protocol/http";
import type { FilePart } from "@/lib/protocol/message";
import type { ShareFinding } from "@/lib/protocol/share-policy";
import type { ShareSnapshot } from "@/lib/protocol/shares";
import { type FileDeps, isPicture } from "@/lib/server/attachments/attachments";
import { plannedPieces, planPicture } from "@/lib/server/attachments/picture-plan";
import { decisions, type FindingChoice, idOf } from "./findings";
import { titleWithout } from "./share-policy";

interface LookedAt {
  decide: ReturnType<typeof decisions>;
  found: Map<string, ShareFinding>;
  /** Names of files that are left out. */
  leftOut: string[];
}

/**
 * A copy with its files as strangers get them: pictures without their metadata, and without those that are damaged. What else
 * may say who made it (a PDF, a sound, a sheet) is a finding; redacted it is left out.
 */
export async function bareFiles(
  deps: Pick<FileDeps, "files">,
  snapshot: ShareSnapshot,
  choice: FindingChoice,
): Promise<{ snapshot: ShareSnapshot; found: ShareFinding[] }> {
  const looked: LookedAt = { decide: decisions(choice), found: new Map(), leftOut: [] };
  const messages: StoredMessage[] = [];
  for (const message of snapshot.messages) messages.push(await withBareFiles(deps, message, looked));
  const title = titleWithout(looked.leftOut, snapshot.title);
  return { snapshot: { ...snapshot, title, messages }, found: [...looked.found.values()] };
}

async function withBareFiles(
  deps: Pick<FileDeps, "files">,
  message: StoredMessage,
  looked: LookedAt,
): Promise<StoredMessage> {
  const bare = async <Part extends { type: string }>(parts: readonly (Part | FilePart)[]) => {
    const kept: (Part | FilePart)[] = [];
    for (const part of parts) {
      const own = part.type === "file" ? await bareFile(deps, part as FilePart, looked) : part;
      if (own) kept.push(own);
    }
    return kept;
  };
  if (message.role === "user") return { ...message, parts: await bare(message.parts) };
  if (message.role !== "tool") return message;
  const results = [];
  for (const result of message.results) results.push({ ...result, content: await bare(result.content) });
  return { ...message, results };
}

async function bareFile(
  { files }: Pick<FileDeps, "files">,
  file: FilePart,
  looked: LookedAt,
): Promise<FilePart | undefined> {
  if (/^(text\/|application\/(json|yaml|xml)$)/.test(file.mediaType)) return file;
  if (!isPicture(file))
    return note(file, "file properties", looked) === "redact" ? void looked.leftOut.push(nameOf(file)) : file;
  if (file.attachmentId !== undefined) {
    // One that is gone shows nothing.
    if (!(await files.has(file.attachmentId))) return file;
    const bare = await files.barePicture(file.attachmentId);
    if (bare) return { ...file, size: bare.size };
  } else {
    const bytes = Buffer.from(file.data, "base64");
    const plan = await planPicture(piecesOf(bytes));
    if (plan) {
      const told: Buffer[] = [];
      for await (const piece of plannedPieces(plan, piecesOf(bytes))) told.push(Buffer.from(piece));
      return { ...file, data: Buffer.concat(told).toString("base64") };
    }
  }
  note(file, "damaged picture", looked);
  looked.leftOut.push(nameOf(file));
}

/** Counts it; what was decided on it. */
function note(
  file: FilePart,
  kind: "file properties" | "damaged picture",
  { decide, found }: LookedAt,
): ShareFinding["decision"] {
  const id = idOf(kind, file.attachmentId ?? file.data);
  const before = found.get(id);
  if (before) before.count++;
  const decision = before ? before.decision : kind === "damaged picture" ? "redact" : decide(id);
  const excerpt = nameOf(file).slice(0, maxName);
  if (!before) found.set(id, { id, kind, excerpt, where: { in: "file" }, count: 1, decision });
  return decision;
}

const maxName = 80;
const nameOf = ({ name, mediaType }: FilePart): string => name || mediaType;

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** The names of the stored files that a copy shows, by their ids: redacted where they are in it. */
export const namesOfFiles = ({ messages }: ShareSnapshot): Map<string, string> =>
  new Map(
    messages
      .flatMap(partsOf)
      .flatMap((part) => (part.attachmentId ? [[part.attachmentId, part.name || "file"]] : [])),
  );

function partsOf(message: StoredMessage): FilePart[] {
  if (message.role === "user") return message.parts.filter((part) => part.type === "file");
  if (message.role !== "tool") return [];
  return message.results.flatMap(({ content }) => content.filter((part) => part.type === "file"));
}
