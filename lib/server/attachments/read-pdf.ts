import { join } from "node:path";
import { Worker } from "node:worker_threads";

export type PdfText = { text: string } | { failure: "broken" | "password" | "slow" | "pages" };

const maxMs = 20_000;
const maxPages = 1_000;
const maxHeapMb = 512;
/** Kept for the model; the file itself stays whole. */
const maxCharacters = 400_000;

/** The text of a PDF, page after page, read in a thread of its own; empty for scanned pages. */
export function readPdf(bytes: Uint8Array): Promise<PdfText> {
  // A path of the source tree: the bundler would not know what to do with a thread's file.
  const file = join(/* turbopackIgnore: true */ process.cwd(), "lib/server/attachments/pdf-worker.mjs");
  const worker = new Worker(file, {
    workerData: { bytes, maxPages },
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    stdout: true,
    stderr: true,
  });
  return new Promise<PdfText>((resolve) => {
    const timer = setTimeout(() => resolve({ failure: "slow" }), maxMs);
    worker.once("message", (said: Said) => resolve(understand(said)));
    worker.once("error", () => resolve({ failure: "broken" }));
    worker.once("exit", () => {
      clearTimeout(timer);
      resolve({ failure: "broken" });
    });
  }).finally(() => worker.terminate());
}

interface Said {
  text?: string;
  tooManyPages?: number;
  failure?: string;
}

function understand({ text, tooManyPages, failure }: Said): PdfText {
  if (tooManyPages !== undefined) return { failure: "pages" };
  if (text === undefined) return { failure: failure === "PasswordException" ? "password" : "broken" };
  if (text.length <= maxCharacters) return { text };
  return {
    text: `${text.slice(0, maxCharacters)}\n[Cut here: the text has ${text.length} characters, of which the first ${maxCharacters} are kept.]`,
  };
}
