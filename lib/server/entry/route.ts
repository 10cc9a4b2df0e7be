import type { z } from "zod";
import { readBody } from "@/lib/server/http/body";
import { HttpError } from "@/lib/server/http/errors";
import { checkHost, checkOrigin, checkSession } from "@/lib/server/http/guard";
import { failureOfStore, isConflict, isStoreError } from "@/lib/server/http/store-failure";
import { localUser } from "@/lib/server/ids";
import { type Deps, getDeps } from "./deps";
import { placeOf } from "./temporary-place";

/** Dynamic parts of a route's path; a handler reads those of its own folder names. */
export interface RouteParams {
  id: string;
  messageId: string;
  file: string;
  index: string;
  name: string;
  tool: string;
  token: string;
}

export interface RouteContext<Body> {
  request: Request;
  params: RouteParams;
  body: Body;
  deps: Deps;
  userId: string;
}

export interface RouteOptions<Schema extends z.ZodType> {
  body?: Schema;
  /** Bytes of the body; 1 MB unless told. */
  limit?: number;
  /** `public`: neither session nor origin is asked for (health, shares). */
  access?: "session" | "public";
  /** A page of another site may lead a browser here. */
  navigation?: boolean;
}

export type NextHandler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

/** Marks handlers that went through `route`, for the inventory test. */
const guarded = Symbol.for("meguri.guarded");

/**
 * The one guard round every route: host, session, origin, body; then the handler. Whatever is thrown becomes an
 * answer: `HttpError` as it says, anything else a 500 that reveals nothing and is logged.
 */
export function route<Schema extends z.ZodType = z.ZodUndefined>(
  options: RouteOptions<Schema>,
  handle: (context: RouteContext<z.output<Schema>>) => Promise<Response | unknown>,
): NextHandler {
  const handler: NextHandler = async (request, { params }) => {
    let deps: Deps | undefined;
    try {
      deps = await getDeps();
      checkHost(request.headers, deps);
      if (options.access !== "public") {
        checkSession(request.headers, deps);
        checkOrigin(request, deps, options);
      }
      const body = (
        options.body ? await readBody(request, options.body, options.limit) : undefined
      ) as z.output<Schema>;
      // Next gives none to a route without names in its path.
      const names = ((await params) ?? {}) as RouteParams;
      deps = await placeOf(deps, { request, params: names, body });
      const answer = await handle({ request, params: names, body, deps, userId: localUser });
      return answer instanceof Response ? answer : json(answer);
    } catch (cause) {
      return toResponse(cause, deps, request);
    }
  };
  return Object.assign(handler, { [guarded]: options.access ?? "session" });
}

export function json(value: unknown, status = 200): Response {
  return Response.json(value ?? {}, { status, headers: { "Cache-Control": "no-store" } });
}

/** What a handler says, and what the store says of an input that no schema can check. */
function toHttpError(cause: unknown): HttpError | undefined {
  if (cause instanceof HttpError) return cause;
  if (!(cause instanceof Error)) return undefined;
  if (cause.name === "BadCursorError")
    return new HttpError(400, "invalid_input", "cursor: not one of ours; start again without it.");
  if (isStoreError(cause) && cause.code === "not_found")
    return new HttpError(404, "not_found", cause.message);
  if (isConflict(cause))
    return new HttpError(409, "conflict", "This has changed meanwhile; reload and try again.");
  return undefined;
}

function toResponse(cause: unknown, deps: Deps | undefined, request: Request): Response {
  const known = toHttpError(cause);
  if (known) return known.toResponse();
  if (request.signal.aborted) return new Response(null, { status: 499 });
  deps?.log.error(
    { err: cause, method: request.method, path: new URL(request.url).pathname },
    "request failed",
  );
  const failure = failureOfStore(cause);
  if (failure) return failure.toResponse();
  return new HttpError(500, "internal", "Something went wrong on our side; the log says more.").toResponse();
}
