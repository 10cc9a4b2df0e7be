// Reads one PDF and prints `{text, length}` or `{failure}` as JSON. A process of its own: pdf.js unpacks a file of 2 KB into
// gigabytes outside of the heap, where no limit of V8 counts them. The main thread measures while a second one reads.
import { writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { extractText, getDocumentProxy } from "unpdf";

const checkEveryMs = 20;

if (isMainThread) void watch(JSON.parse(process.argv[2] ?? "{}"));
else parentPort?.postMessage(await read(workerData));

async function watch({ maxBytes, size, ...work }) {
  // Whoever started this has ended, also by kill -9.
  process.stdin.once("end", () => process.exit(1));
  if (size !== undefined) work.bytes = await receive(size);
  process.stdin.resume();
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() < maxBytes) return;
    say({ failure: "memory" });
    // An exit would wait for what the other thread is doing.
    process.kill(process.pid, "SIGKILL");
  }, checkEveryMs);
  const worker = new Worker(new URL(import.meta.url), { workerData: work });
  const end = (answer) => {
    clearInterval(timer);
    say(answer);
    process.exit();
  };
  worker.once("message", end);
  worker.once("error", () => end({ failure: "broken" }));
}

/** A file that is on no disk comes first. */
function receive(size) {
  const bytes = new Uint8Array(size);
  let at = 0;
  return new Promise((resolve) => {
    process.stdin.on("data", (piece) => {
      bytes.set(piece, at);
      at += piece.length;
      if (at === size) resolve(bytes);
    });
  });
}

const say = (answer) => writeSync(1, JSON.stringify(answer));

async function read({ path, bytes, maxPages, maxCharacters }) {
  try {
    const pdf = await getDocumentProxy(bytes ?? new Uint8Array(await readFile(path)), {
      isEvalSupported: false,
    });
    if (pdf.numPages > maxPages) return { failure: "pages" };
    const { text } = await extractText(pdf, { mergePages: false });
    const whole = text
      .map((page) => page.trim())
      .join("\n\n")
      .trim();
    return { text: whole.slice(0, maxCharacters), length: whole.length };
  } catch (cause) {
    return { failure: cause?.name === "PasswordException" ? "password" : "broken" };
  }
}
