import { writeFile } from "node:fs/promises";
import type { OpenedFiles } from "@/lib/mcp/calls/put-files";
import { type FileReference, findFileReferences } from "@/lib/protocol/file-references";
import type { ToolCall } from "@/lib/protocol/message";
import { runLimits } from "@/lib/protocol/run-limits";
import { isTemporaryId } from "@/lib/protocol/temporary";
import { type FilePlace, findFile, missingInWords, type NamedFile } from "./named-file";
import type { RunDeps } from "./run-deps";

const megabyte = 1024 * 1024;
/** Files that one call may name, as of a message. */
const maxFiles = 10;
/** Bytes of all files of one call that stand in its arguments: as much as a result may bring. */
const maxInArguments = runLimits.chat.resultFileBytes;
/** The same of those that are put into a folder; one has at most what an attachment may have. */
const maxInFolders = 100 * megabyte;

type HandDeps = Pick<RunDeps, "store" | "files" | "log"> & {
  pool: Pick<RunDeps["pool"], "fileRoots" | "tool">;
};

/** Why the files that a call names cannot be handed to its tool; what to do instead is said too. No full stop at its end, as it stands in sentences of others. */
export async function findFileFault(
  deps: HandDeps,
  place: FilePlace,
  { name, args }: Pick<ToolCall, "name" | "args">,
): Promise<string | undefined> {
  const tool = deps.pool.tool(name);
  const references = tool ? findFileReferences(args, tool.item.inputSchema) : [];
  if (!tool || references.length === 0) return undefined;
  const found = await findFiles(deps, place, references, tool.server);
  return "fault" in found ? found.fault : undefined;
}

/** The files as their server takes them: as text in the arguments, or as paths of copies in one of its folders. */
export async function openFiles(
  deps: HandDeps,
  place: FilePlace,
  references: readonly FileReference[],
  server: string,
): Promise<OpenedFiles> {
  const found = await findFiles(deps, place, references, server);
  if ("fault" in found) return found;
  const release = deps.files.lend(found.inArguments);
  if (!release)
    return { fault: "Too many files are being handed to tools at once. Try it again in a moment" };
  const texts = new Map<string, string>();
  const opened = new Map<string, string>();
  for (const { reference, file } of found.named) {
    const key = `${file.id} ${reference.form}`;
    const text = opened.get(key) ?? (await open(deps, file, reference, server));
    if (text === undefined) {
      release();
      return {
        fault: `The file ${file.name} could not be handed to ${server}: it is gone, or no folder of the server can be written`,
      };
    }
    opened.set(key, text);
    texts.set(reference.at, text);
  }
  return { texts, release };
}

interface Named {
  reference: FileReference;
  file: NamedFile;
}

async function findFiles(
  deps: HandDeps,
  place: FilePlace,
  references: readonly FileReference[],
  server: string,
): Promise<{ named: Named[]; inArguments: number } | { fault: string }> {
  if (references.length > maxFiles)
    return {
      fault: `A call may name ${maxFiles} files, and this one names ${references.length}. Send fewer at a time`,
    };
  const named: Named[] = [];
  for (const reference of references) {
    const file = await findFile(deps, place, reference.id);
    if (!file) return { fault: missingInWords(reference.id) };
    named.push({ reference, file });
  }
  const paths = named.filter(({ reference }) => reference.form === "path");
  const [path] = paths;
  if (path && isTemporaryId(place.conversationId)) return { fault: notInTemporary(path.reference.at) };
  if (path && deps.pool.fileRoots(server).length === 0)
    return { fault: noFolderInWords(server, path.reference.at) };
  const inArguments = bytesOf(named.filter(({ reference }) => reference.form !== "path"));
  if (inArguments > maxInArguments)
    return {
      fault: `The files in the arguments of this call have ${inMb(inArguments)} MB, and may have ${inMb(maxInArguments)} MB together. Send a smaller file, or use a tool that takes a path`,
    };
  const inFolders = bytesOf(paths);
  if (inFolders > maxInFolders)
    return {
      fault: `The files of this call have ${inMb(inFolders)} MB, and may have ${inMb(maxInFolders)} MB together. Send fewer at a time`,
    };
  return { named, inArguments };
}

const notInTemporary = (at: string): string =>
  `No file can be given at ${at}: it would be a path, and nothing of a temporary chat is put into a folder. Use a tool that takes the file as base64 (contentEncoding) or as a URI, or ask in a chat that is kept`;

const noFolderInWords = (server: string, at: string): string =>
  `No file can be given at ${at}: its schema asks for no base64 (contentEncoding) and no URI (format), so it would be a path, and ${server} has no folder in which files can be put for it. A folder under "roots" in its entry would be one`;

const bytesOf = (named: readonly Named[]): number => named.reduce((sum, { file }) => sum + file.size, 0);
const inMb = (bytes: number): string => (bytes / megabyte).toFixed(1).replace(/\.0$/, "");

async function open(
  deps: HandDeps,
  file: NamedFile,
  { form }: FileReference,
  server: string,
): Promise<string | undefined> {
  try {
    if (form === "path") return await copyFor(deps, file, server);
    const data = file.data ?? (await deps.files.read(file.id)).toString("base64");
    return form === "base64" ? data : `data:${plainType(file.mediaType)};base64,${data}`;
  } catch (err) {
    deps.log.warn({ err, attachmentId: file.id, server }, "a file cannot be handed to a server");
    return undefined;
  }
}

/** In the first of its folders that takes it. */
async function copyFor({ files, pool }: HandDeps, file: NamedFile, server: string): Promise<string> {
  const { id, data } = file;
  const writeTo = (path: string) =>
    data === undefined
      ? files.copyOut(id, path)
      : writeFile(path, Buffer.from(data, "base64"), { flag: "wx", mode: 0o600 });
  let fault: unknown;
  for (const root of pool.fileRoots(server))
    try {
      return await files.copies.put(root, { ...file, writeTo });
    } catch (cause) {
      fault ??= cause;
    }
  throw fault ?? new Error(`${server} has no folder.`);
}

/** Types of tools' files are foreign text. */
const plainType = (mediaType: string): string =>
  /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : "application/octet-stream";
