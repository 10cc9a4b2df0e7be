import type { ErrorBody } from "@/lib/protocol/http";

/** A refusal of the server, or that it could not be reached (`offline`, status 0). The message is for people. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    readonly details?: unknown,
  ) {
    super(message);
  }
}

export interface ApiRequest {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal;
  /** Lets the request outlive the page, when it is sent while the page closes. */
  keepalive?: boolean;
}

/** Calls our API and returns its JSON. Throws `ApiError`; an abort stays an `AbortError`. */
export async function api<T>(
  path: string,
  { method = "GET", body, signal, keepalive }: ApiRequest = {},
): Promise<T> {
  const response = await send(path, {
    method,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(keepalive && { keepalive }),
  });
  if (!response.ok) throw await readFailure(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** The `ApiError` for a response that is not ok, whatever its body is: also a proxy's page. */
export async function readFailure(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  if (isErrorBody(body))
    return new ApiError(body.error.code, body.error.message, response.status, body.error.details);
  return new ApiError(`http_${response.status}`, `The server answered ${response.status}.`, response.status);
}

/** Whether trying again can help: the server is busy, restarts or is not reachable, but not without disk space (507). */
export const isPassing = ({ status }: ApiError) =>
  status === 0 || status === 429 || (status >= 502 && status !== 507);

/** Makes any thrown value an `ApiError`. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError("unexpected", error instanceof Error ? error.message : String(error), 0);
}

/** Sent to the window when a request has got no answer. */
export const unreachedEvent = "meguri:unreached";

/** `fetch` whose failures are `ApiError`s; an abort stays an `AbortError`. */
export async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    globalThis.dispatchEvent?.(new Event(unreachedEvent));
    throw new ApiError("offline", "The server cannot be reached. Is Meguri still running?", 0);
  }
}

export function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    "message" in error &&
    typeof error.code === "string" &&
    typeof error.message === "string"
  );
}
