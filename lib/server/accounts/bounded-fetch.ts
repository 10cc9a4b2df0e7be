import type { CustomFetch } from "openid-client";
import { isSafeAddress } from "@/lib/server/oidc-env";
import { SignInFailure } from "./sign-in-failure";

/** Of an answer; the keys of a large provider are some 10 KB. */
const maxBytes = 1_000_000;

/** Asks the identity provider; it does not follow it anywhere, and an answer that never ends is broken off with the signal. */
export const boundedFetch: CustomFetch = async (address, { signal, ...options }) => {
  if (!isSafeAddress(new URL(address)))
    throw new SignInFailure("refused", { reason: "one of its addresses is not https" });
  try {
    const response = await fetch(address, {
      ...(options as RequestInit),
      redirect: "manual",
      signal: signal ?? null,
    });
    if (response.status >= 500 || response.status === 429)
      throw new SignInFailure("unavailable", { reason: `it answers ${response.status}` });
    const body = await readBounded(response);
    return new Response(body.length > 0 ? body : null, response);
  } catch (cause) {
    if (cause instanceof SignInFailure) throw cause;
    const { message, cause: inner } = cause as Error;
    throw new SignInFailure("unavailable", { reason: message, code: (inner as { code?: unknown })?.code });
  }
};

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes)
      throw new SignInFailure("refused", { reason: `it answers with over ${maxBytes} bytes` });
    parts.push(part);
  }
  return Buffer.concat(parts);
}
