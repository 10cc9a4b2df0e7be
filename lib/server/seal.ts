import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const version = "v1";
const ivBytes = 12;
const tagBytes = 16;

/** Encrypts a text for storing: AES-256-GCM under a key of the secret that serves this purpose only. */
export function seal(secret: string, purpose: string, text: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, purpose), iv);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return [version, ...[iv, cipher.getAuthTag(), body].map((part) => part.toString("base64url"))].join(".");
}

/** The text, or undefined when it was sealed under another secret, for another purpose, or has been changed. */
export function unseal(secret: string, purpose: string, sealed: string): string | undefined {
  const [is, iv, tag, body] = sealed.split(".");
  if (is !== version || !iv || !tag || body === undefined) return undefined;
  try {
    const key = keyOf(secret, purpose);
    // Without the length a tag that was cut to 4 bytes would do, which can be guessed.
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64url"), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(Buffer.from(tag, "base64url"));
    return Buffer.concat([decipher.update(Buffer.from(body, "base64url")), decipher.final()]).toString(
      "utf8",
    );
  } catch {
    return undefined;
  }
}

/** The same under another secret; undefined where the first one does not open it. */
export function reseal(from: string, to: string, purpose: string, sealed: string): string | undefined {
  const text = unseal(from, purpose, sealed);
  return text === undefined ? undefined : seal(to, purpose, text);
}

/** A setting in which something is sealed; `reseal` gives its value with each of them done `again`. */
export interface SealedSetting {
  fits(key: string): boolean;
  reseal(
    value: unknown,
    again: (purpose: string, sealed: string) => string,
    at: { owner: string; key: string },
  ): unknown;
}

const keyOf = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `meguri ${purpose}`, 32));
