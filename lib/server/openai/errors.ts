import { HttpError } from "@/lib/server/http/errors";

/** What of an `HttpError` the wire tells; `details.param` names a field where the schema of the body does not. */
interface Details {
  param?: string;
  issues?: readonly { path: string }[];
}

/** A refusal that is about one field of the request. */
export const fieldError = (param: string, message: string, status = 400, code = "invalid_input") =>
  new HttpError(status, code, `${param}: ${message}`, { param });

export const noSuchModel = (model: string) =>
  fieldError(
    "model",
    `there is no ${JSON.stringify(model.slice(0, 100))} here; GET /v1/models lists what can be asked.`,
    404,
    "model_not_found",
  );

/** Codes by which programs know what has happened. */
const codes: Readonly<Record<string, string>> = {
  unauthorized: "invalid_api_key",
  unknown_model: "model_not_found",
  context_overflow: "context_length_exceeded",
};

/** The error in OpenAI's shape. */
export function toOpenAiError({ status, code, message, details }: HttpError) {
  const { param, issues } = (details ?? {}) as Details;
  const path = issues?.[0]?.path;
  const field = param ?? (path ? toParam(path) : null);
  const isNamed = path && message.startsWith(`${path}: `);
  return {
    error: {
      message: isNamed ? `${field}${message.slice(path.length)}` : message,
      type: typeOf(status),
      param: field,
      code: codes[code] ?? code,
    },
  };
}

/** `messages.0.content` as `messages[0].content`. */
const toParam = (path: string): string => path.replace(/\.(\d+)(?=\.|$)/g, "[$1]");

function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** For `RouteOptions.refuse`. */
export function refuse(error: HttpError): Response {
  const status = error.code === "unknown_model" ? 404 : error.status;
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (error.retryAfterSeconds !== undefined) headers.set("Retry-After", String(error.retryAfterSeconds));
  return Response.json(toOpenAiError(error), { status, headers });
}
