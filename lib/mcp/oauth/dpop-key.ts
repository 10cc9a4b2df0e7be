import { createHash } from "node:crypto";
import { type DpopKeyPair, generateDpopKeyPair } from "@modelcontextprotocol/client";
import type { LoginStore } from "./login-store";

const alg = "ES256";
const algorithm = { name: "ECDSA", namedCurve: "P-256" } as const;

/** The key pair that tokens are bound to: saved with them, because they are useless without it. */
export async function dpopKeyPair(store: LoginStore): Promise<DpopKeyPair> {
  const kept = store.saved.dpopKey;
  if (kept) return importKey(kept);
  const { privateKey } = await generateDpopKeyPair({ alg, extractable: true });
  const made = await crypto.subtle.exportKey("jwk", privateKey);
  // Of two that are made at the same time the first counts.
  await store.change(({ dpopKey = made }) => ({ dpopKey }));
  return importKey(store.saved.dpopKey ?? made);
}

async function importKey({ d, crv, kty, x, y }: JsonWebKey): Promise<DpopKeyPair> {
  const open = { crv, kty, x, y } as { crv: string; kty: string; x: string; y: string };
  return {
    privateKey: await crypto.subtle.importKey("jwk", { ...open, d: d ?? "" }, algorithm, false, ["sign"]),
    publicKey: await crypto.subtle.importKey("jwk", open, algorithm, true, ["verify"]),
    publicJwk: open,
    // RFC 7638: the required members in this order.
    thumbprint: createHash("sha256").update(JSON.stringify(open)).digest("base64url"),
    alg,
  };
}
