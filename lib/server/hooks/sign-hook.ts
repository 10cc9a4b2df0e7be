import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** As Standard Webhooks ask for: 24 to 64 bytes. */
export const newHookSecret = (): string => prefix + randomBytes(32).toString("base64");

/**
 * The headers of an attempt, as in https://github.com/standard-webhooks/standard-webhooks: HMAC-SHA-256 of id, time and body. `at` in
 * epoch ms; a receiver refuses what is too old, so each attempt has its own.
 */
export function hookHeaders(
  secret: string,
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  const seconds = Math.floor(at / 1_000);
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${signature}`,
  };
}
