import { execFile } from "node:child_process";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { FileSource } from "./byte-folder";

export type PdfText = { text: string } | { failure: "broken" | "password" | "slow" | "pages" | "memory" };

const maxMs = 20_000;
const maxPages = 1_000;
/** Resident memory of the process that reads; a run of pdf.js takes about 150 MB for itself. */
const maxBytes = 512 * 1024 * 1024;
/** Kept for the model; the file itself stays whole. */
const maxCharacters = 400_000;
/** Bytes of JSON: the longest for that many characters is far below. */
const maxOutput = 16 * 1024 * 1024;

/** The text of a PDF, page after page; empty for scanned pages. Read in a process with limits of memory and time. */
export function readPdf(source: FileSource): Promise<PdfText> {
  // A path of the source tree: the bundler cannot bundle a separate program.
  const program = join(/* turbopackIgnore: true */ process.cwd(), "lib/server/attachments/pdf-process.mjs");
  const place = typeof source === "string" ? { path: source } : { size: source.size };
  const work = JSON.stringify({ ...place, maxBytes, maxPages, maxCharacters });
  // Nothing of our environment but what Windows cannot start a program without.
  const env = { NODE_ENV: "production" as const, SystemRoot: process.env.SystemRoot };
  const limits = { timeout: maxMs, killSignal: "SIGKILL", maxBuffer: maxOutput, env } as const;
  return new Promise((resolve, reject) => {
    let fault: { cause: unknown } | undefined;
    const child = execFile(process.execPath, [program, work], limits, (cause, output) => {
      const isSlow = cause?.killed === true && output === "";
      if (fault) reject(fault.cause);
      else resolve(isSlow ? { failure: "slow" } : understand(output));
    });
    if (typeof source === "string" || !child.stdin) return;
    const pieces = noting(source.pieces(), (cause) => (fault = { cause }));
    // The end of its input tells the child that we are gone, or that nothing more comes. One that has ended early has said why.
    pipeline(pieces, child.stdin, { end: false }).catch(() => child.stdin?.destroy());
  });
}

/** Tells the fault of what is read apart from those of whoever reads it. */
async function* noting(
  pieces: AsyncIterable<Uint8Array>,
  note: (cause: unknown) => void,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* pieces;
  } catch (cause) {
    note(cause);
    throw cause;
  }
}

function understand(output: string): PdfText {
  const { text, length, failure } = parse(output);
  if (text === undefined || length === undefined) return { failure: failure ?? "broken" };
  if (length <= maxCharacters) return { text };
  return {
    text: `${text}\n[Cut here: the text has ${length} characters, of which the first ${maxCharacters} are kept.]`,
  };
}

interface Answer {
  text?: string;
  length?: number;
  failure?: Exclude<PdfText, { text: string }>["failure"];
}

/** A process that died has said nothing, or half of it. */
function parse(output: string): Answer {
  try {
    return JSON.parse(output);
  } catch {
    return {};
  }
}
