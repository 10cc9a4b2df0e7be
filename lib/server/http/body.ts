import type { z } from "zod";
import { endOf } from "./ending-request";
import { HttpError } from "./errors";

const maxDepth = 200;
/** Of a body that is too long anyhow. */
const maxDiscarded = 200 * 1024 * 1024;

/** The JSON body, at most `limit` bytes, checked; throws 400 with the path of the wrong field, 413 or 415. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  limit = 1_000_000,
): Promise<z.output<Schema>> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new HttpError(415, "unsupported_media_type", "Send the body as Content-Type: application/json.");
  return check(parse(await readText(request, limit)), schema, "body");
}

/** The fields of a form, each once. */
export async function readForm<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  limit: number,
): Promise<z.output<Schema>> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded")
    throw new HttpError(
      415,
      "unsupported_media_type",
      "Send the body as Content-Type: application/x-www-form-urlencoded.",
    );
  const fields = [...new URLSearchParams(await readText(request, limit))];
  const seen = new Set<string>();
  const twice = fields.find(([name]) => seen.size === seen.add(name).size);
  if (twice) throw new HttpError(400, "invalid_input", `${twice[0].slice(0, 80)}: must be there once.`);
  return check(Object.fromEntries(fields), schema, "body");
}

/** Query parameters, checked like a body. */
export function readQuery<Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> {
  return check(Object.fromEntries(new URL(request.url).searchParams), schema, "query");
}

/** The raw body in pieces, at most `limit` bytes; 413 with this message when it is longer. */
export async function* readPieces(
  request: Request,
  limit: number,
  tooLarge: string,
): AsyncGenerator<Uint8Array, void> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  // A client that is still sending does not read: what is somewhat too long is taken in, and thrown away.
  const most = Math.max(limit, maxDiscarded);
  const end = endOf(request);
  let size = 0;
  if (announced <= most)
    for await (const piece of request.body ?? []) {
      size += piece.byteLength;
      if (size > most || end?.aborted) break;
      if (Math.max(size, announced) <= limit) yield piece;
    }
  // A body takes as long as its sender likes: who was signed out, or lost a role, meanwhile does not finish what they had begun.
  if (end?.aborted)
    throw new HttpError(401, "unauthorized", "The session has ended; sign in and send it again.");
  if (Math.max(size, announced) > limit) throw new HttpError(413, "body_too_large", tooLarge);
}

async function readText(request: Request, limit: number): Promise<string> {
  const tooLarge = `The body may have at most ${limit} bytes; send less at once.`;
  const pieces: Uint8Array[] = [];
  for await (const piece of readPieces(request, limit, tooLarge)) pieces.push(piece);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new HttpError(400, "invalid_input", "The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = text === "" ? {} : JSON.parse(text);
  } catch (cause) {
    throw new HttpError(400, "invalid_json", `The body is no valid JSON: ${(cause as Error).message}.`);
  }
  // JSON.parse takes any depth; what handles the value later goes down by recursion.
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth)
      throw new HttpError(400, "invalid_input", `The body may be nested at most ${maxDepth} deep.`);
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  // A schema of any names leaves it out without a word. Deeper, it may be an argument of a tool.
  if (Object.hasOwn(Object(value), "__proto__"))
    throw new HttpError(400, "invalid_input", "__proto__: nothing may have this name.");
  return value;
}

function check<Schema extends z.ZodType>(value: unknown, schema: Schema, where: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 20).map(({ path, message, code, ...rest }) => ({
    path: [...path, ...(code === "unrecognized_keys" && "keys" in rest ? rest.keys.slice(0, 1) : [])].join(
      ".",
    ),
    message,
  }));
  const first = issues[0];
  throw new HttpError(400, "invalid_input", `${first?.path || where}: ${first?.message}.`, { issues });
}
