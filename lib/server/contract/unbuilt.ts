import { notFound, notSupported } from "@/lib/server/http/errors";

/** Routes of the contract that a later version builds, without `/api/`. */
export const unbuilt: readonly RegExp[] = [/^metrics$/];

/** Says of a path under /api whether it is to come (422) or unknown (404). */
export function answerUnbuilt(request: Request): never {
  const path = new URL(request.url).pathname.replace(/^\/api\//, "");
  if (unbuilt.some((pattern) => pattern.test(path))) throw notSupported(`${request.method} /api/${path}`);
  throw notFound("route");
}
