import { fileTypeFromBuffer } from "file-type";
import { z } from "zod";
import { createGuardedFetch, type GuardOptions } from "@/lib/mcp/transport/guarded-fetch";

const maxBytes = 256 * 1024;
const timeoutMs = 10_000;
/** Image types that cannot contain scripts: no SVG. */
const types = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

const iconsSchema = z.array(z.looseObject({ src: z.string().max(400_000) })).catch([]);

export interface ServerIcon {
  mediaType: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Whether there is an icon that may be fetched: https: and data: only. */
export const hasIcon = (icons: unknown): boolean => sourcesOf(icons).length > 0;

/**
 * The first of a server's icons with an image type that cannot contain scripts; fetched without credentials, from public
 * addresses only. Undefined without any.
 */
export async function readIcon(
  icons: unknown,
  guard?: Partial<GuardOptions>,
): Promise<ServerIcon | undefined> {
  for (const src of sourcesOf(icons)) {
    const bytes = await read(src, guard).catch(() => undefined); // the next one may be better
    const type = bytes && (await fileTypeFromBuffer(bytes));
    if (bytes && type && types.has(type.mime)) return { mediaType: type.mime, bytes };
  }
  return undefined;
}

const sourcesOf = (icons: unknown): string[] =>
  iconsSchema
    .parse(icons ?? [])
    .map(({ src }) => src)
    .filter((src) => src.startsWith("https://") || src.startsWith("data:image/"))
    .slice(0, 4);

async function read(
  src: string,
  guard: Partial<GuardOptions> = {},
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const [, data] = /^data:[^,]*;base64,([A-Za-z0-9+/=\s]+)$/.exec(src) ?? [];
  if (src.startsWith("data:")) return data ? bounded(Buffer.from(data, "base64")) : undefined;
  const { fetch, close } = createGuardedFetch({ allowed: [], ...guard });
  try {
    const answer = await fetch(src, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok || Number(answer.headers.get("content-length") ?? 0) > maxBytes) return undefined;
    return bounded(await answer.arrayBuffer());
  } finally {
    await close();
  }
}

const bounded = (bytes: ArrayBuffer | Buffer) =>
  bytes.byteLength > maxBytes ? undefined : new Uint8Array(bytes);
