import type { PeopleMemory } from "@/lib/mcp/mcp-pool";
import { LoginNeededError } from "@/lib/mcp/oauth/login-needed-error";
import { clientMetadata, type LoginSetup } from "@/lib/mcp/oauth/login-setup";
import type { LoginMemory, SavedLogin } from "@/lib/mcp/oauth/login-store";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { BaseDeps } from "@/lib/server/base-deps";
import { publicUrl } from "@/lib/server/env";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { type SealedSetting, seal, unseal } from "@/lib/server/seal";
import { withLease } from "@/lib/store/leases";
import { translateConfigError } from "./config-errors";
import type { OwnEntries } from "./own-entries";
import type { PeopleSecrets } from "./server-secrets";
import { findServer } from "./servers";

const callbackPath = "/api/mcp/oauth/callback";
const clientPath = "/api/mcp/oauth/client";

type LoginDeps = Pick<BaseDeps, "store" | "secrets">;

/** Whose sign-ins those are that hold for everybody. */
const everybody = "system";
const prefix = "mcp-login:";
const keyOf = (server: string) => prefix + server;
/** The server whose sign-in this setting is; undefined for another setting. */
export const serverOfLogin = (key: string): string | undefined =>
  key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
const purposeOf = (owner: string, server: string): string =>
  owner === everybody ? "mcp logins" : `mcp logins ${JSON.stringify([owner, server])}`;

export const sealedLogins: SealedSetting = {
  fits: (key) => key.startsWith(prefix),
  reseal: (value, again, { owner, key }) =>
    again(purposeOf(owner, key.slice(prefix.length)), value as string),
};

/** How this application signs in to MCP servers; tokens are kept sealed. */
export const openLogins = (deps: LoginDeps & Pick<BaseDeps, "env">): LoginSetup => ({
  redirectUrls: redirectUrls(deps.env),
  clientMetadataUrl: clientDocumentUrl(deps.env),
  memory: loginsOf(deps, everybody),
});

/** The sign-ins of one owner. One that is moved to another owner or server in the database cannot be opened there. */
export function loginsOf({ store, secrets }: LoginDeps, owner: string): LoginMemory {
  const opened = (server: string, sealed: string | undefined) => {
    const text = sealed && unseal(secrets.appSecret, purposeOf(owner, server), sealed);
    return text ? (JSON.parse(text) as SavedLogin) : undefined;
  };
  return {
    // Asked for seldom, and mostly because another process may have changed it.
    get: async (server) => opened(server, await store.settings.reread<string>(owner, keyOf(server))),
    async update(server, change) {
      await store.settings.update(owner, keyOf(server), (sealed: string | undefined) =>
        seal(secrets.appSecret, purposeOf(owner, server), JSON.stringify(change(opened(server, sealed)))),
      );
    },
    delete: (server) => store.settings.delete(owner, keyOf(server)),
    async alone(server, work) {
      const done = await withLease(store.leases, `login ${JSON.stringify([owner, server])}`, renewal, work);
      if (!done)
        throw new Error(
          `The sign-in of ${server} is being renewed by another process; try again in a minute.`,
        );
    },
  };
}

/** Some requests of 20 s each. */
const renewal = { mostMs: 60_000, waitMs: 60_000 };

/** What each person keeps for the servers that they have connections of their own to. */
export const peopleMemory = (
  deps: LoginDeps,
  secrets: PeopleSecrets,
  entries: OwnEntries,
  of: Pick<PeopleMemory, "role" | "forgetOf"> & Required<Pick<PeopleMemory, "vouching">>,
): PeopleMemory => ({
  ...of,
  logins: (person) => loginsOf(deps, person),
  secrets: (person) => secrets.of(person),
  servers: (person) => entries.of(person),
  owners: () => entries.owners(),
  async forget(server) {
    await secrets.forget(server);
    for (const owner of await deps.store.settings.owners(keyOf(server)))
      await deps.store.settings.delete(owner, keyOf(server));
  },
});

/**
 * Where the browser has to go, and whose page that is: shown before the person goes there. They come back to the
 * conversation that is named, else to the page of the server.
 */
export async function beginLogin(
  deps: BaseDeps,
  { userId, name, conversationId }: { userId: string; name: string; conversationId?: string | undefined },
  request: Request,
): Promise<{ url: string; host: string }> {
  findServer(deps, name);
  if (conversationId !== undefined && !(await deps.store.conversations.get(userId, conversationId)))
    throw notFound("conversation");
  const returnTo = conversationId && `/c/${encodeURIComponent(conversationId)}`;
  const url = await translateLoginError(() =>
    deps.pool.signIns.begin(name, `${originOf(deps, request)}${callbackPath}`, returnTo),
  );
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new HttpError(
      502,
      "login_failed",
      `The server wants a sign-in at ${url.protocol}, which is no web page.`,
    );
  // One that takes the word of the identity provider leads there by a page of ours.
  const { OIDC_ISSUER: issuer } = deps.env;
  const isOurs = url.origin === publicUrl(deps.env);
  return { url: url.href, host: isOurs && issuer ? new URL(issuer).host : url.host };
}

/** Takes the authorization response and shows where the person came from, which says how it went. */
export async function finishLogin(deps: BaseDeps, request: Request): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const to = (place: string) =>
    new Response(null, {
      status: 303,
      headers: { location: place, "cache-control": "no-store" },
    });
  try {
    const { server, returnTo } = await deps.pool.signIns.finish(searchParams);
    return to(returnTo ?? `/settings/mcp/${encodeURIComponent(server)}`);
  } catch (cause) {
    if (!(cause instanceof LoginNeededError)) throw cause;
    deps.log.warn({ reason: cause.message }, "an authorization response was refused");
    return to("/settings/mcp?signIn=failed");
  }
}

export async function logout(deps: BaseDeps, name: string): Promise<McpServerItem> {
  findServer(deps, name);
  await translateLoginError(() => deps.pool.signIns.forget(name));
  return findServer(deps, name);
}

export function describeClient({ env }: Pick<BaseDeps, "env">): unknown {
  const url = clientDocumentUrl(env);
  if (!url) throw notFound("clientDocument");
  return { client_id: url, ...clientMetadata(redirectUrls(env)) };
}

/** Authorization servers fetch it, so that only an address of the web will do. */
const clientDocumentUrl = (env: BaseDeps["env"]) =>
  env.PUBLIC_URL?.startsWith("https:") ? `${publicUrl(env)}${clientPath}` : undefined;

/** All under which people may have opened us: they come back to the one they left from. */
function redirectUrls(env: BaseDeps["env"]): string[] {
  const origins = env.PUBLIC_URL
    ? [publicUrl(env)]
    : ["127.0.0.1", "localhost"].map((name) => `http://${name}:${env.PORT}`);
  return origins.map((origin) => `${origin}${callbackPath}`);
}

/** As the browser knows us: behind a proxy we do not see it, but are told it. */
function originOf({ env }: Pick<BaseDeps, "env">, request: Request): string {
  const host = request.headers.get("host")?.toLowerCase();
  const isOurs = !env.PUBLIC_URL && host && redirectUrls(env).includes(`http://${host}${callbackPath}`);
  return isOurs ? `http://${host}` : publicUrl(env);
}

async function translateLoginError<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await translateConfigError(work);
  } catch (cause) {
    if (cause instanceof LoginNeededError) throw new HttpError(502, "login_failed", cause.message);
    throw cause;
  }
}
