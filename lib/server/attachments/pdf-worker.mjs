// Runs in a thread of its own, so that a large or hostile PDF stops nobody else; its parent ends it when it takes too long.
import { parentPort, workerData } from "node:worker_threads";
import { extractText, getDocumentProxy } from "unpdf";

const { bytes, maxPages } = workerData;
try {
  const pdf = await getDocumentProxy(bytes, { isEvalSupported: false });
  if (pdf.numPages > maxPages) parentPort?.postMessage({ tooManyPages: pdf.numPages });
  else {
    const { text, totalPages } = await extractText(pdf, { mergePages: false });
    parentPort?.postMessage({
      text: text
        .map((page) => page.trim())
        .join("\n\n")
        .trim(),
      pages: totalPages,
    });
  }
} catch (cause) {
  parentPort?.postMessage({ failure: cause?.name ?? "Error", message: String(cause?.message ?? cause) });
}
