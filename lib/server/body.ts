import type { z } from "zod";
import { HttpError } from "./errors";

const maxDepth = 200;

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

/** Query parameters, checked like a body. */
export function readQuery<Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> {
  return check(Object.fromEntries(new URL(request.url).searchParams), schema, "query");
}

async function readText(request: Request, limit: number): Promise<string> {
  const tooLarge = () =>
    new HttpError(413, "body_too_large", `The body may have at most ${limit} bytes; send less at once.`);
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.byteLength;
    if (size > limit) throw tooLarge();
    pieces.push(piece);
  }
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
