import { createParser, type EventSourceMessage } from "eventsource-parser";
import { ApiError, isErrorBody } from "@/lib/client/http/http";
import type { ImportProgress } from "@/lib/protocol/imports";

export interface ImportRequest {
  file: File;
  /** The route that takes it. */
  path: string;
  signal: AbortSignal;
  /** Bytes of the file that the server has. */
  onSent(bytes: number): void;
  onProgress(progress: ImportProgress): void;
}

/**
 * Sends a file, which the browser reads from the disk as it goes, and reads what comes of it. By XMLHttpRequest, as `fetch`
 * does not say how much of a body is sent. Throws `ApiError`; an abort is an `AbortError`.
 */
export function sendImport<Answer>({
  file,
  path,
  signal,
  onSent,
  onProgress,
}: ImportRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    const events = new Events<Answer>(onProgress);
    request.open("POST", path);
    request.setRequestHeader("Accept", "text/event-stream, application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onprogress = () => events.read(request);
    request.onabort = () => reject(new DOMException("Stopped.", "AbortError"));
    request.onerror = () => void whyNotSent(file).then(reject);
    request.onload = () => {
      events.read(request);
      const answer = events.end(request);
      if (answer instanceof ApiError) reject(answer);
      else resolve(answer);
    };
    request.onloadend = () => signal.removeEventListener("abort", stop);
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    request.send(file);
  });
}

/** The answer as it comes: an event stream, or JSON where the server refuses at once. */
class Events<Answer> {
  private seen = 0;
  private answer: Answer | ApiError | undefined;
  private readonly parser = createParser({ onEvent: (event) => this.take(event) });

  constructor(private readonly onProgress: ImportRequest["onProgress"]) {}

  read(request: XMLHttpRequest): void {
    if (!isStream(request)) return;
    const { responseText } = request;
    this.parser.feed(responseText.slice(this.seen));
    this.seen = responseText.length;
  }

  end(request: XMLHttpRequest): Answer | ApiError {
    if (this.answer !== undefined) return this.answer;
    const body = isStream(request) ? undefined : parse(request.responseText);
    if (isErrorBody(body))
      return new ApiError(body.error.code, body.error.message, request.status, body.error.details);
    const isDone = request.status === 200 || request.status === 201;
    if (isDone && body !== undefined) return body as Answer;
    return isDone
      ? new ApiError("offline", "The connection to Meguri was lost.", 0)
      : new ApiError(`http_${request.status}`, `The server answered ${request.status}.`, request.status);
  }

  private take({ event, data }: EventSourceMessage): void {
    const value = parse(data);
    if (event === "progress") this.onProgress(value as ImportProgress);
    else if (event === "result") this.answer = value as Answer;
    else if (event === "error" && isErrorBody(value))
      this.answer = new ApiError(value.error.code, value.error.message, 500, value.error.details);
  }
}

const isStream = (request: XMLHttpRequest): boolean =>
  request.getResponseHeader("content-type")?.startsWith("text/event-stream") ?? false;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A browser says the same of a network that is gone and of a file that is. */
async function whyNotSent(file: File): Promise<ApiError> {
  const isThere = await file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
  return isThere
    ? new ApiError("offline", "The server cannot be reached. Is Meguri still running?", 0)
    : new ApiError(
        "file_changed",
        "The file was changed or moved after it was chosen; choose it again.",
        400,
      );
}
