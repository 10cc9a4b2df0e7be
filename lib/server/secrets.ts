import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@/lib/store/ports";
import { syncFolder } from "@/lib/store/rebuild/replace-file";
import { type Env, StartError } from "./env";
import { type SealedSetting, seal, unseal } from "./seal";

export interface Secrets {
  /** Encrypts stored secrets, signs cookies and share tokens. */
  appSecret: string;
  /** Signs in the browser that opens the printed URL. */
  launchToken: string;
}

/**
 * Takes the secrets from the environment, else from `DATA_DIR/secrets.json` (0600), which is made at the first start; with
 * `DATABASE_URL` from the environment alone.
 */
export function loadSecrets(
  dataDir: string,
  given: Pick<Partial<Env>, "APP_SECRET" | "LAUNCH_TOKEN" | "DATABASE_URL">,
): Secrets {
  if (given.DATABASE_URL !== undefined && given.APP_SECRET !== undefined)
    // With accounts the token lets the first admin in, at whichever instance.
    return {
      appSecret: given.APP_SECRET,
      launchToken: given.LAUNCH_TOKEN ?? sign(given.APP_SECRET, "launch token", ""),
    };
  const path = fileIn(dataDir);
  const kept = read(path);
  const secrets: Kept = {
    ...kept,
    appSecret: kept.appSecret ?? randomBytes(32).toString("base64url"),
    launchToken: kept.launchToken ?? randomBytes(24).toString("base64url"),
  };
  if (!kept.appSecret || !kept.launchToken) write(dataDir, path, secrets);
  return {
    appSecret: given.APP_SECRET ?? secrets.appSecret,
    launchToken: given.LAUNCH_TOKEN ?? secrets.launchToken,
  };
}

/** In the file: both while one takes the place of the other. */
type Kept = Secrets & { nextAppSecret?: string };

const fileIn = (dataDir: string) => join(dataDir, "secrets.json");

/** Keeps a secret that is to take the place of the one in the file, which this gives. */
export function keepNext(dataDir: string, nextAppSecret: string): string {
  const path = fileIn(dataDir);
  const { appSecret, launchToken } = read(path);
  if (!appSecret || !launchToken)
    throw new StartError(`${path} is not there; restore it from a backup, or set APP_SECRET.`);
  write(dataDir, path, { appSecret, launchToken, nextAppSecret });
  return appSecret;
}

/**
 * Where one secret of the file was to take the place of the other, keeps the one that the data is sealed under. Whether that
 * is the new one.
 */
export async function settleRotation(dataDir: string, store: Pick<Store, "settings">): Promise<boolean> {
  const path = fileIn(dataDir);
  const { appSecret, launchToken, nextAppSecret } = read(path);
  if (!appSecret || !launchToken || !nextAppSecret) return false;
  const isDone = await secretInUse(store, nextAppSecret);
  write(dataDir, path, { appSecret: isDone ? nextAppSecret : appSecret, launchToken });
  return isDone;
}

/** Whether the stored data was written under this secret. */
export async function secretInUse({ settings }: Pick<Store, "settings">, secret: string): Promise<boolean> {
  const sealed = await settings.get<string>("system", proofKey);
  return sealed !== undefined && unseal(secret, proofPurpose, sealed) === proof;
}

/** The same secret; StartError where it is not the one. */
export async function checkedSecret(store: Pick<Store, "settings">, secret: string): Promise<string> {
  if (await secretInUse(store, secret)) return secret;
  throw otherSecret();
}

/**
 * Sees that the secret which opens what is stored is at hand: the given one, or that of the file in the folder. StartError
 * where it is not.
 */
export async function checkKeptSecret(
  dataDir: string,
  store: Pick<Store, "settings">,
  given: string | undefined,
): Promise<void> {
  if (given === undefined) await settleRotation(dataDir, store);
  const secret = given ?? read(fileIn(dataDir)).appSecret;
  if (secret === undefined)
    throw new StartError(`${fileIn(dataDir)} is not there; restore it from a backup, or set APP_SECRET.`);
  await checkedSecret(store, secret);
}

const proofKey = "appSecret";
const proofPurpose = "proof of the secret";
const proof = "This was sealed by the secret in use.";

export const sealedProof: SealedSetting = {
  fits: (key) => key === proofKey,
  reseal: (value, again) => again(proofPurpose, value as string),
};

/**
 * At a start: throws StartError when the stored data was written under another secret, of which nothing could be read.
 * A first start leaves the proof; with APP_SECRET_CHANGED the new secret counts, and shared links end.
 */
export async function checkAppSecret({
  env,
  store,
  secrets,
}: {
  env: Pick<Env, "APP_SECRET_CHANGED">;
  store: Pick<Store, "settings" | "shares">;
  secrets: Pick<Secrets, "appSecret">;
}): Promise<void> {
  const isOurs = (sealed: string | undefined) =>
    sealed !== undefined && unseal(secrets.appSecret, proofPurpose, sealed) === proof;
  const found = await store.settings.get<string>("system", proofKey);
  if (isOurs(found)) return;
  if (found !== undefined) {
    if (env.APP_SECRET_CHANGED === undefined) throw otherSecret();
    await store.shares.revokeAll(Date.now());
  }
  await store.settings.update("system", proofKey, (stored: string | undefined) => {
    if (isOurs(stored)) return undefined;
    // Meanwhile another process has started, with another secret.
    if (stored !== found) throw otherSecret();
    return seal(secrets.appSecret, proofPurpose, proof);
  });
}

const otherSecret = () =>
  new StartError(
    "The secret (APP_SECRET, or secrets.json in DATA_DIR) is not the one that the stored data was written with: keys, sign-ins and shared links cannot be read. Start with the former one. If it is lost, start once with APP_SECRET_CHANGED=accept; keys and sign-ins then have to be entered again, and shared links end.",
  );

/** Base64url HMAC-SHA-256 of `purpose:text` under the secret; a signature for one purpose is none for another. */
export function sign(secret: string, purpose: string, text: string): string {
  return createHmac("sha256", secret).update(`${purpose}:${text}`).digest("base64url");
}

export const hash = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Compares in constant time, also texts of different lengths. */
export function same(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hash(a)), Buffer.from(hash(b)));
}

function read(path: string): Partial<Kept> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new StartError(`${path} cannot be read (${(cause as Error).message}); check its permissions.`);
  }
  try {
    const { appSecret, launchToken, nextAppSecret } = JSON.parse(text) as Partial<Kept>;
    if (typeof appSecret === "string" && typeof launchToken === "string")
      return {
        ...{ appSecret, launchToken },
        ...(typeof nextAppSecret === "string" && { nextAppSecret }),
      };
  } catch {
    // Falls through to the same sentence: a new file would silently void every cookie and share link.
  }
  throw new StartError(
    `${path} is damaged; restore it from a backup. Without one delete it, and start once with APP_SECRET_CHANGED=accept: keys and sign-ins then have to be entered again, and shared links end.`,
  );
}

/** Whole or not at all: without it keys cannot be read any more. */
function write(dataDir: string, path: string, secrets: Kept): void {
  const part = `${path}.part`;
  try {
    writeFileSync(part, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
    chmodSync(part, 0o600);
    renameSync(part, path);
    syncFolder(path);
  } catch (cause) {
    rmSync(part, { force: true });
    throw new StartError(
      `DATA_DIR ${dataDir} cannot be written (${(cause as NodeJS.ErrnoException).code}); choose a folder that this user may write.`,
    );
  }
}
