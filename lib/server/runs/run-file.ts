import type { Answer } from "@/lib/protocol/answer";
import type { PendingRequest } from "@/lib/protocol/chunk";
import { fileIdIn, namesFile, referenceTo } from "@/lib/protocol/file-references";
import type { RunFile } from "@/lib/protocol/http";
import { HttpError } from "@/lib/server/http/errors";
import { readChain } from "@/lib/server/loop/chain";
import { findFileFault } from "@/lib/server/loop/handed-files";
import { type FilePlace, findFile, inlineFileIn, missingInWords } from "@/lib/server/loop/named-file";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { lastMessageOf, readReadable } from "@/lib/server/loop/stored-run";
import type { RunRow } from "@/lib/store/types";

/** What a person is shown of a file that the arguments of a call name. */
export async function readRunFile(deps: RunDeps, row: RunRow, id: string): Promise<RunFile> {
  // Ids of files are all of one form; another one is none of a file.
  const asked = fileIdIn(referenceTo(id));
  const file = asked === undefined ? undefined : await findFile(deps, placeOf(deps, row), asked);
  if (!file) throw new HttpError(404, "not_found", `${missingInWords(id.slice(0, 100))}.`);
  const { name, mediaType, size, data } = file;
  return { id: file.id, name, mimeType: mediaType, size, ...(data !== undefined && { data }) };
}

/** Arguments that a person has typed must not name a file that cannot be handed over: 400, and the question stays open. */
export async function checkNamedFiles(
  deps: RunDeps,
  row: RunRow,
  asked: PendingRequest,
  answer: Answer,
): Promise<void> {
  const field = asked.type === "step_request" ? "payload.args" : "args";
  const args = answer.args ?? answer.payload?.args;
  const name = toolOf(asked);
  if (name === undefined || !args || !namesFile(args)) return;
  const fault = await findFileFault(deps, placeOf(deps, row), { name, args });
  if (fault !== undefined) throw new HttpError(400, "invalid_input", `${field}: ${fault}.`);
}

/** The tool whose arguments a person can change with the answer. */
function toolOf(asked: PendingRequest): string | undefined {
  if (asked.type === "approval_request") return asked.reason === "sampling" ? undefined : asked.call.name;
  return asked.type === "step_request" && asked.kind === "tool" ? asked.payload.name : undefined;
}

/** The history of a run as it is stored: the messages before and of it, and its log with those that it continues. */
const placeOf = (deps: RunDeps, row: RunRow): FilePlace => ({
  userId: row.userId,
  conversationId: row.conversationId,
  findInline: async (id) => {
    const { rows } = await deps.store.messages.branch(row.conversationId, await lastMessageOf(deps, row));
    const { past } = await readChain(deps, row, readReadable);
    return inlineFileIn(
      id,
      rows.map(({ message }) => message),
      past,
    );
  },
});
