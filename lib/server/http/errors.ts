import { hasName } from "@/lib/protocol/has-name";
import type { ErrorBody } from "@/lib/protocol/http";

/** An answer other than success: becomes `{"error":{code,message,details}}` with its status. */
export class HttpError extends Error {
  // What is refused by an object of the start, such as a queue, is answered by a route of another bundle.
  static [Symbol.hasInstance] = hasName("HttpError");
  override name = "HttpError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details?: unknown,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }

  toResponse(): Response {
    const body: ErrorBody = {
      error: {
        code: this.code,
        message: this.message,
        ...(this.details !== undefined && { details: this.details }),
      },
    };
    const headers = new Headers({ "Cache-Control": "no-store" });
    if (this.retryAfterSeconds !== undefined) headers.set("Retry-After", String(this.retryAfterSeconds));
    return Response.json(body, { status: this.status, headers });
  }
}

const missing = {
  agent: "There is no such agent.",
  appTool: "There is no such tool for apps.",
  assistant: "There is no such assistant.",
  attachment: "There is no such attachment.",
  clientDocument: "There is no such client metadata document: it needs a PUBLIC_URL with https.",
  conversation: "There is no such conversation.",
  hook: "There is no such hook.",
  icon: "There is no such icon.",
  invitation: "There is no such invitation.",
  matrix: "There is no such matrix.",
  message: "There is no such message behind this answer.",
  passkey: "There is no such passkey.",
  person: "There is no such person.",
  preset: "There is no such preset.",
  project: "There is no such project.",
  prompt: "There is no such prompt.",
  provider: "There is no such provider.",
  route: "There is no such API route.",
  run: "There is no such run.",
  schedule: "There is no such schedule.",
  server: "There is no such server.",
  session: "There is no such session.",
  share: "There is no such share.",
  sharedConversation: "There is no such shared conversation.",
  token: "There is no such API token.",
  tool: "There is no such tool.",
  trigger: "There is no such trigger.",
};

export const notFound = (what: keyof typeof missing) => new HttpError(404, "not_found", missing[what]);

export const overloaded = (message: string) => new HttpError(503, "overloaded", message, undefined, 5);

export const notSupported = (what: string) =>
  new HttpError(422, "not_supported", `${what} is part of the API but not built in this version yet.`);
