import type { z } from "zod";
import { wholeJson } from "@/lib/protocol/whole-answer";
import type { Did } from "@/lib/server/audit/audit-log";
import { isPlain } from "@/lib/server/contract/fields";
import { readBody } from "@/lib/server/http/body";
import { endingWith } from "@/lib/server/http/ending-request";
import { HttpError } from "@/lib/server/http/errors";
import { answerOf, toHttpError } from "@/lib/server/http/failure";
import {
  checkAdmin,
  checkCaller,
  checkHost,
  checkNoForeignPage,
  checkOrigin,
  checkProgram,
  checkScope,
  isReading,
  type Person,
} from "@/lib/server/http/guard";
import { isEvents, whenRead } from "@/lib/server/http/when-read";
import { getDeps } from "./deps";
import type { Deps } from "./open-deps";
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
  /** Who asks; nobody, with an empty id, where a route needs no session. */
  person: Person;
  /** The same person's id, by which everything is owned. */
  userId: string;
}

export interface RouteOptions<Schema extends z.ZodType> {
  body?: Schema;
  /** Bytes of the body; 1 MB unless told. */
  limit?: number;
  /**
   * `public`: neither session nor origin is asked for (shares). `probe`: nor the name that we are asked by. `sign-in`: only a session is not, where there are
   * accounts. `admin`: a session of an admin, 403 for members; with `AUTH=local` that is everybody. `program`: an API token, or with
   * `AUTH=local` the launch token, and never a cookie.
   */
  access?: Access;
  /**
   * What an API token needs here. Unless told: `read` for what reads one's own, `admin` for all else. `none`: tokens, sessions,
   * passwords, invitations and roles, so that a token that has leaked signs nobody in. With `admin` it can still add a local server, which runs commands.
   */
  scope?: "chat" | "mcp" | "none";
  /** How a refusal is told where the API's own form is not the one that callers know. */
  refuse?: (error: HttpError, asked: { request: Request; deps: Deps | undefined }) => Response;
  /** A page of another site may lead a browser here. */
  navigation?: boolean;
  /** What is written to the audit log once it is done, before it is answered. */
  audit?: (context: RouteContext<z.output<Schema>>, answer: unknown) => MaybePromise<Did | undefined>;
}

type MaybePromise<Value> = Value | Promise<Value>;

type Access = "session" | "admin" | "program" | "sign-in" | "public" | "probe";

export type NextHandler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

/** Mark handlers that went through `route`, for the inventory test. */
const guarded = Symbol.for("meguri.guarded");
const audited = Symbol.for("meguri.audited");

/**
 * The one guard round every route: host, session, role, origin, body; then the handler. Whatever is thrown becomes an
 * answer: `HttpError` as it says, anything else a 500 that reveals nothing and is logged.
 */
export function route<Schema extends z.ZodType = z.ZodUndefined>(
  options: RouteOptions<Schema>,
  handle: (context: RouteContext<z.output<Schema>>) => Promise<Response | unknown>,
): NextHandler {
  const handler: NextHandler = async (received, { params }) => {
    let deps: Deps | undefined;
    let release = () => {};
    try {
      deps = await getDeps();
      const person = await admit(received, deps, options);
      // Before its body is read: it can be had from one request alone.
      const request = endingWithSession(received, person, deps);
      const body = (
        options.body ? await readBody(request, options.body, options.limit) : undefined
      ) as z.output<Schema>;
      // Next gives none to a route without names in its path.
      const names = ((await params) ?? {}) as RouteParams;
      checkNames(names);
      const place = await placeOf(deps, { request, params: names, body, userId: person.id });
      // What a request does to servers it does as its person.
      release = place.pool.hold(person.id);
      deps = { ...place, pool: place.pool.of(person.id) };
      const context = { request, params: names, body, deps, person, userId: person.id };
      const answer = await inTrace(deps, received.headers, () => handle(context));
      const did = await options.audit?.(context, answer);
      if (did) await deps.accounts?.audit.note(person, did, received.headers);
      if (!(answer instanceof Response)) return json(answer);
      if (!deps.accounts || !isEvents(answer)) return answer;
      const whenLeft = release;
      release = () => {};
      return whenRead(answer, whenLeft);
    } catch (cause) {
      return toResponse(cause, deps, received, options.refuse);
    } finally {
      release();
    }
  };
  return Object.assign(handler, {
    [guarded]: options.access ?? "session",
    [audited]: options.audit !== undefined,
  });
}

/** What is begun by a request belongs to the trace that it names. */
const inTrace = <Value>({ tracing }: Deps, headers: Headers, work: () => Value): Value =>
  tracing
    ? tracing.within({ traceparent: headers.get("traceparent"), tracestate: headers.get("tracestate") }, work)
    : work();

function checkNames(names: RouteParams): void {
  for (const [field, value] of Object.entries(names))
    if (typeof value === "string" && !isPlain(value))
      throw new HttpError(400, "invalid_input", `${field}: must not hold NUL or half a character.`);
}

/** Where nobody is asked who they are. */
const nobody: Person = { id: "", name: "", email: "", role: "member", sessionId: null, token: null };

async function admit(
  request: Request,
  deps: Deps,
  { access = "session", scope, navigation }: Pick<RouteOptions<z.ZodType>, "access" | "scope" | "navigation">,
): Promise<Person> {
  if (access === "probe") return nobody;
  checkHost(request.headers, deps);
  if (access === "public") {
    checkNoForeignPage(request, deps);
    return nobody;
  }
  if (access === "program") checkProgram(request.headers, deps);
  const isOpen = access === "sign-in" && deps.accounts !== undefined;
  const person = isOpen ? nobody : await checkCaller(request.headers, deps);
  checkOrigin(request, deps, { navigation, withToken: person.token !== null });
  const isOwnRead = access === "session" && isReading(request.method);
  checkScope(person, scope ?? (isOwnRead ? "read" : "admin"));
  if (access === "admin") checkAdmin(person);
  return person;
}

/** What goes on for long, as streams do, ends when the session does, or the token. */
function endingWithSession(request: Request, { id, sessionId, token }: Person, { ends }: Deps): Request {
  const cameWith = token?.id ?? sessionId;
  return cameWith === null ? request : endingWith(request, ends.signal(cameWith, id));
}

/** `cookies`: of these headers the cookies are sent along. */
export function json(value: unknown, status = 200, cookies?: Headers): Response {
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const cookie of cookies?.getSetCookie() ?? []) headers.append("Set-Cookie", cookie);
  return wholeJson(value ?? {}, { status, headers });
}

function toResponse(
  cause: unknown,
  deps: Deps | undefined,
  request: Request,
  refuse: RouteOptions<z.ZodType>["refuse"] = (error) => error.toResponse(),
): Response {
  // Who has gone hears nothing, and it is no fault.
  if (request.signal.aborted && !toHttpError(cause)) return new Response(null, { status: 499 });
  const path = new URL(request.url).pathname;
  const onFault = (err: unknown) => deps?.log.error({ err, method: request.method, path }, "request failed");
  return refuse(answerOf(cause, onFault), { request, deps });
}
