import { randomBytes } from "node:crypto";
import { sealedProviderTokens } from "@/lib/server/accounts/vouched-tokens";
import { readEnv, StartError } from "@/lib/server/env";
import { sealedHooks } from "@/lib/server/hooks/stored-hooks";
import { sessionsKey } from "@/lib/server/http/sessions";
import { reseal, type SealedSetting } from "@/lib/server/seal";
import {
  checkedSecret,
  hash,
  keepNext,
  sealedProof,
  secretInUse,
  settleRotation,
} from "@/lib/server/secrets";
import { sealedLogins } from "@/lib/server/servers/logins";
import { sealedOwnServers } from "@/lib/server/servers/own-entries";
import { sealedServerSecrets } from "@/lib/server/servers/server-secrets";
import { sealedEndpoints } from "@/lib/server/settings/endpoints";
import { sealedAccess } from "@/lib/server/settings/provider-access";
import { shareToken } from "@/lib/server/shares/shares";
import type { Store } from "@/lib/store/ports";
import { openStoreThere } from "./adopt";

/** Every place in which something is sealed. */
const places: readonly SealedSetting[] = [
  sealedProof,
  sealedAccess,
  sealedEndpoints,
  sealedLogins,
  sealedServerSecrets,
  sealedOwnServers,
  sealedProviderTokens,
  sealedHooks,
];

const placeOf = (key: string) => places.find(({ fits }) => fits(key));

/**
 * Puts another secret in the place of the one in use, and seals everything again; gives the lines to print. One that Meguri has
 * generated is replaced by a new one, APP_SECRET by NEW_APP_SECRET. Throws StartError and what `openStore` throws.
 */
export async function rotateSecret(
  variables: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const env = readEnv(variables);
  const { DATA_DIR, APP_SECRET: from, NEW_APP_SECRET: to } = env;
  if (from === undefined && to !== undefined)
    throw new StartError(
      "NEW_APP_SECRET takes the place of APP_SECRET, which is not set: remove it, and a new secret is generated.",
    );
  if (from !== undefined && (to === undefined || to === from))
    throw new StartError(
      "APP_SECRET is set: set NEW_APP_SECRET to the one that takes its place, for example to the output of `openssl rand -base64 32`.",
    );
  const store = await openStoreThere(env);
  try {
    return from !== undefined && to !== undefined
      ? await rotateGiven(store, from, to)
      : await rotateKept(store, DATA_DIR);
  } finally {
    await store.close();
  }
}

async function rotateGiven(store: Store, from: string, to: string): Promise<string[]> {
  const next = "Set APP_SECRET to the value of NEW_APP_SECRET now, and remove NEW_APP_SECRET.";
  if (await secretInUse(store, to)) return [`NEW_APP_SECRET is the secret in use already. ${next}`];
  await checkedSecret(store, from);
  return [...(await sealAgain(store, from, to)), next];
}

/** The file has both secrets before anything is sealed again, and one of them after it: which one, the data says. */
async function rotateKept(store: Store, dataDir: string): Promise<string[]> {
  if (await settleRotation(dataDir, store))
    return [
      "The change of the secret that was cut short before is finished. Run this again for another one.",
    ];
  const to = randomBytes(32).toString("base64url");
  const from = await checkedSecret(store, keepNext(dataDir, to));
  const lines = await sealAgain(store, from, to);
  await settleRotation(dataDir, store);
  return lines;
}

/** In one transaction. */
export async function sealAgain(store: Store, from: string, to: string): Promise<string[]> {
  let unread = 0;
  const again = (purpose: string, sealed: string) => {
    const text = reseal(from, to, purpose, sealed);
    if (text === undefined) unread += 1;
    return text ?? sealed;
  };
  const { links } = await store.rotate(
    {
      fits: (key) => key === sessionsKey || placeOf(key) !== undefined,
      change: (value, at) => placeOf(at.key)?.reseal(value, again, at) ?? null,
    },
    (id) => hash(shareToken(to, id)),
  );
  return [
    "The secret is another one now; keys, sign-ins and secrets of MCP servers were sealed again.",
    "Every browser has to sign in again. LAUNCH_TOKEN stays as it is.",
    "Backups that were made before need the former secret: keep it for as long as you keep them.",
    ...(links > 0
      ? [
          `Shared links have new addresses (${links} of them, in Settings → Shared links); the former ones are over.`,
        ]
      : []),
    ...(unread > 0 ? [`${unread} values were sealed under an older secret, and stay as they were.`] : []),
  ];
}
