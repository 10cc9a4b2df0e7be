import { type FileReference, findFileReferences, putInPlaces } from "@/lib/protocol/file-references";
import type { CallTarget } from "./call-options";

/** The files that a call names, as its server gets them. `release` is called when the call has ended. */
export type OpenedFiles =
  | { texts: ReadonlyMap<FileReference["at"], string>; release(): void }
  | { fault: string };

/** Opens what a call of this server names. Never throws: the fault is a sentence that says what to send instead. */
export type OpenFiles = (references: readonly FileReference[], server: string) => Promise<OpenedFiles>;

type Filled = { args: Record<string, unknown>; release(): void } | { fault: string };

/**
 * The arguments with files in the places of references to them, right before they are sent. Nothing that is stored or shown
 * of a call has them: the log keeps the references.
 */
export async function putFiles(
  open: OpenFiles | undefined,
  { server, tool }: Pick<CallTarget, "server" | "tool">,
  args: Record<string, unknown>,
): Promise<Filled> {
  const references = open ? findFileReferences(args, tool.inputSchema) : [];
  if (!open || references.length === 0) return { args, release: () => {} };
  const opened = await open(references, server);
  if ("fault" in opened) return opened;
  return { args: putInPlaces(args, opened.texts), release: opened.release };
}
