import { Agent, type Dispatcher } from "undici";
import {
  ForbiddenAddressError,
  type GuardOptions,
  guardConnector,
  hostAndPort,
} from "@/lib/mcp/transport/guarded-fetch";
import { HttpError } from "@/lib/server/http/errors";
import { version } from "@/lib/server/version";

const maxRedirects = 3;

export interface PictureReach extends Pick<GuardOptions, "allowed" | "lookup" | "connect"> {
  /** Ends the waiting: the deadline of the request, or its caller, who has gone. */
  signal: AbortSignal;
  /** What may still come, in bytes. */
  maxBytes: number;
}

interface FetchedPicture {
  /** The end of its path, as it stands there. */
  name: string;
  /** Throws 400 where it is too large or breaks off. */
  pieces: AsyncIterable<Uint8Array>;
}

/**
 * Gives the picture at an address to `keep` as it comes: from addresses of the internet over https:, and from private ones that are
 * allowed. Where a redirect leads is checked the same way. Throws 400 with a sentence that tells nothing of our own network.
 */
export async function fetchPicture<Kept>(
  address: string,
  { allowed, lookup, connect, signal, maxBytes }: PictureReach,
  keep: (picture: FetchedPicture) => Promise<Kept>,
): Promise<Kept> {
  const agent = new Agent({
    connect: guardConnector({
      ...{ allowed, isDiscreet: true },
      ...(lookup && { lookup }),
      ...(connect && { connect }),
    }),
    maxHeaderSize: 16_384,
  });
  try {
    const { url, body } = await follow(agent, { address, allowed, signal });
    return await keep({ name: nameOf(url), pieces: piecesOf(body, maxBytes, signal) });
  } finally {
    await agent.destroy();
  }
}

interface Followed extends Pick<PictureReach, "allowed" | "signal"> {
  address: string;
}

async function follow(agent: Dispatcher, { address, allowed, signal }: Followed) {
  let url = checked(URL.parse(address), allowed);
  for (let redirects = 0; ; redirects += 1) {
    const { statusCode, headers, body } = await get(agent, url, signal);
    if (statusCode === 200) return { url, body };
    body.on("error", () => {}).destroy();
    const { location } = headers;
    if (statusCode < 300 || statusCode >= 400 || typeof location !== "string")
      throw failed(`its address answered with the status ${statusCode} in place of a picture.`);
    if (redirects >= maxRedirects) throw failed(`its address redirects more than ${maxRedirects} times.`);
    url = checked(URL.parse(location, url), allowed);
  }
}

async function get(agent: Dispatcher, { origin, pathname, search }: URL, signal: AbortSignal) {
  try {
    return await agent.request({
      ...{ origin, path: `${pathname}${search}`, method: "GET", signal },
      headers: {
        accept: "image/png, image/jpeg, image/gif, image/webp",
        "accept-encoding": "identity",
        "user-agent": `Meguri/${version}`,
      },
    });
  } catch (cause) {
    throw faultOf(cause, signal);
  }
}

async function* piecesOf(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  const iterator = body[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await iterator.next().catch((cause) => {
      throw faultOf(cause, signal);
    });
    if (done) return;
    bytes += value.length;
    if (bytes > maxBytes)
      throw new HttpError(
        413,
        "image_too_large",
        "is too large; a picture may have at most 20 MB, and all that a request names 32 MB.",
      );
    yield value;
  }
}

/** What is written in an address; where its name leads is looked at when it is called. */
function checked(url: URL | null, allowed: readonly string[]): URL {
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw refused("must be an https: address or a data: URL with base64.");
  if (url.username || url.password)
    throw refused(
      "leave out the user name and the password of the address; send the picture as a data: URL.",
    );
  const isAllowed = allowed.includes(hostAndPort(url)) || allowed.includes(`${url.hostname}:*`);
  if (url.protocol === "http:" && !isAllowed)
    throw refused("must be an https: address, and so must be where it redirects.");
  return url;
}

function faultOf(cause: unknown, signal: AbortSignal): HttpError {
  for (let each = cause; each instanceof Error; each = each.cause)
    if (each instanceof ForbiddenAddressError)
      return refused("must be an address of the internet, and so must be where it redirects.");
  if (signal.aborted)
    return failed("its address takes too long to answer; the pictures of a request have 30 s together.");
  return failed("its address cannot be reached, or breaks off; try again, or send a data: URL.");
}

function nameOf({ pathname }: URL): string {
  const last = pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** By the codes that OpenAI has for it. */
const refused = (message: string) => new HttpError(400, "invalid_image_url", message);
const failed = (message: string) => new HttpError(400, "failed_to_download_image", message);
