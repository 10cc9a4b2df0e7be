import type { Deps } from "./deps";
import { StartError } from "./http/errors";
import { seal, unseal } from "./seal";

const key = "appSecret";
const purpose = "proof of the secret";
const proof = "This was sealed by the secret in use.";

/**
 * At a start: throws StartError when the stored data was written under another secret, of which nothing could be read.
 * A first start leaves the proof; with APP_SECRET_CHANGED the new secret counts, and shared links end.
 */
export async function checkAppSecret({
  env,
  store,
  secrets,
}: Pick<Deps, "env" | "store" | "secrets">): Promise<void> {
  const sealed = await store.settings.get<string>("system", key);
  if (sealed !== undefined && unseal(secrets.appSecret, purpose, sealed) === proof) return;
  if (sealed !== undefined) {
    if (env.APP_SECRET_CHANGED === undefined) throw otherSecret();
    await store.shares.revokeAll(Date.now());
  }
  await store.settings.set("system", key, seal(secrets.appSecret, purpose, proof));
}

const otherSecret = () =>
  new StartError(
    "The secret (APP_SECRET, or secrets.json in DATA_DIR) is not the one that the stored data was written with: keys, sign-ins and shared links cannot be read. Start with the former one. If it is lost, start once with APP_SECRET_CHANGED=accept; keys and sign-ins then have to be entered again, and shared links end.",
  );
