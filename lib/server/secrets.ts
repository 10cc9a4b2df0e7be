import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "./http/errors";

export interface Secrets {
  /** Encrypts stored secrets, signs cookies and share tokens. */
  appSecret: string;
  /** Lets in whoever opens the printed URL. */
  launchToken: string;
}

/** Takes the secrets from the environment, else from `DATA_DIR/secrets.json` (0600), which is made at the first start. */
export function loadSecrets(
  dataDir: string,
  given: { APP_SECRET?: string | undefined; LAUNCH_TOKEN?: string | undefined },
): Secrets {
  const path = join(dataDir, "secrets.json");
  const kept = read(path);
  const secrets: Secrets = {
    appSecret: kept.appSecret ?? randomBytes(32).toString("base64url"),
    launchToken: kept.launchToken ?? randomBytes(24).toString("base64url"),
  };
  if (!kept.appSecret || !kept.launchToken) write(dataDir, path, secrets);
  return {
    appSecret: given.APP_SECRET ?? secrets.appSecret,
    launchToken: given.LAUNCH_TOKEN ?? secrets.launchToken,
  };
}

/** Base64url HMAC-SHA-256 of `purpose:text` under the secret; a signature for one purpose is none for another. */
export function sign(secret: string, purpose: string, text: string): string {
  return createHmac("sha256", secret).update(`${purpose}:${text}`).digest("base64url");
}

export const hash = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Compares in constant time, whatever the lengths. */
export function same(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hash(a)), Buffer.from(hash(b)));
}

function read(path: string): Partial<Secrets> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new StartError(`${path} cannot be read (${(cause as Error).message}); check its permissions.`);
  }
  try {
    const { appSecret, launchToken } = JSON.parse(text) as Partial<Secrets>;
    if (typeof appSecret === "string" && typeof launchToken === "string") return { appSecret, launchToken };
  } catch {
    // Falls through to the same sentence: made anew it would silently void every cookie and share link.
  }
  throw new StartError(
    `${path} is damaged; restore it from a backup. Without one delete it, and start once with APP_SECRET_CHANGED=accept: keys and sign-ins then have to be entered again, and shared links end.`,
  );
}

function write(dataDir: string, path: string, secrets: Secrets): void {
  try {
    writeFileSync(path, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    chmodSync(path, 0o600);
  } catch (cause) {
    throw new StartError(
      `DATA_DIR ${dataDir} cannot be written (${(cause as NodeJS.ErrnoException).code}); choose a folder that this user may write.`,
    );
  }
}
