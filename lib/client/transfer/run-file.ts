import { ApiError } from "@/lib/client/http/http";
import { sendImport } from "./send-import";

export interface ImportedRun {
  runId: string;
  conversationId: string;
}

/** The server takes no more either. */
const maxBytes = 32 * 1024 ** 2;
/** Of the first line, which says what the file is. */
const headBytes = 1_024;

/** Whether a file is the log of a run, by its beginning; false where it cannot be read, which is said when it is sent. */
export async function isRunFile(file: File): Promise<boolean> {
  const head = await file
    .slice(0, headBytes)
    .text()
    .catch(() => "");
  return /^\uFEFF?\s*\{/.test(head) && /"meguri"\s*:\s*"(\w+)"/.exec(head)?.[1] === "run";
}

/** Stores the run of a file, to be looked at; the same file again is the same run. Throws `ApiError`. */
export function sendRun(
  file: File,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<ImportedRun> {
  if (file.size > maxBytes)
    return Promise.reject(
      new ApiError("too_large", "The file is too large; the file of a run may have at most 32 MB.", 413),
    );
  return sendImport<ImportedRun>({ file, path: "/api/runs/import", signal, onSent, onProgress: () => {} });
}
