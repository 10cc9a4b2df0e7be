import type { Account } from "@/lib/protocol/accounts";
import type { OpenedConversation } from "@/lib/protocol/opened-conversation";
import { appOrigin, programOrigin } from "@/lib/server/env";
import { HttpError } from "@/lib/server/http/errors";
import { checkHost, type GuardContext, originOf, personOf } from "@/lib/server/http/guard";
import { hash } from "@/lib/server/secrets";
import type { Runtime } from "./boot";
import type { Deps } from "./open-deps";
import { plainPage } from "./plain-page";

export interface Refusal {
  status: number;
  body: string;
  headers: Record<string, string>;
}

/** Whose frames a page may hold: those of apps and of pages of models, and nobody else's. */
export async function frameSource(headers: Headers): Promise<string> {
  const deps = await (globalThis as Record<symbol, Promise<Deps> | undefined>)[Symbol.for("meguri.deps")];
  const host = headers.get("host");
  const origins = new Set(deps && [appOrigin(deps.env, host), programOrigin(deps.env, host)]);
  origins.delete(undefined);
  return [...origins].join(" ") || "'none'";
}

/** Where pages of models run; undefined where they cannot. */
export async function programSource(headers: Headers): Promise<string | undefined> {
  const deps = await (globalThis as Record<symbol, Promise<Deps> | undefined>)[Symbol.for("meguri.deps")];
  return deps && programOrigin(deps.env, headers.get("host"));
}

/** Whether other instances serve the next request as well: a page has nothing then that one of them alone keeps. */
export async function hasOtherInstances(): Promise<boolean> {
  const deps = await (globalThis as Record<symbol, Promise<Deps> | undefined>)[Symbol.for("meguri.deps")];
  return deps?.store.members.hasOthers ?? false;
}

/** As `opened.ts` reads it, which is loaded with the application already, and not once more with the page. */
export async function readForPage(headers: Headers, id: string): Promise<OpenedConversation | null> {
  const runtime = (globalThis as Record<symbol, Runtime | undefined>)[Symbol.for("meguri.runtime")];
  return (await runtime?.readForPage(headers, id)) ?? null;
}

/** Who is signed in, as the page may know it; null where there are no accounts. */
export async function accountOf(headers: Headers): Promise<Account | null> {
  const deps = await (globalThis as Record<symbol, Promise<Deps> | undefined>)[Symbol.for("meguri.deps")];
  const person = await deps?.accounts?.personOf(headers);
  return person ? { id: person.id, name: person.name, email: person.email, role: person.role } : null;
}

/**
 * What a page request gets instead of the page: a wrong host, no session, a share that has ended. Takes the adapters
 * from `globalThis` and constructs none, so that the proxy's bundle stays small.
 */
export async function gate(url: URL, headers: Headers): Promise<Refusal | undefined> {
  const deps = await (globalThis as Record<symbol, Promise<Deps> | undefined>)[Symbol.for("meguri.deps")];
  if (!deps) return page(503, headers, "starting");
  try {
    checkHost(headers, deps);
  } catch (cause) {
    if (cause instanceof HttpError) return plain(cause.status, cause.message);
    throw cause;
  }
  // The printed URL goes on to the route that takes its token.
  if (url.pathname === "/" && url.searchParams.has("token")) return undefined;
  const token = /^\/share\/([^/]+)$/.exec(url.pathname)?.[1];
  if (token) return refuseShare(deps, token, headers);
  const person = await personOf(headers, deps);
  if (!deps.accounts) return person ? undefined : page(401, headers, "signedOut");
  if (url.pathname === "/sign-in") return person && !hasLink(url) ? redirect(deps, headers, "/") : undefined;
  return person ? undefined : redirect(deps, headers, signInPath(url));
}

/** A link of an admin is for whoever opens it, and not for who is signed in here. */
const hasLink = ({ searchParams }: URL): boolean =>
  searchParams.has("invitation") || searchParams.has("reset");

/** The page comes back to where somebody wanted to go: an address of ours, without the host that it was asked by. */
function signInPath({ pathname, search }: URL): string {
  // What Next.js asks with for a part of a page is not of the address.
  const to = `${pathname}${search.replace(/([?&])_rsc=[^&]*&?/, "$1").replace(/[?&]$/, "")}`;
  return to === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(to)}`;
}

/** The whole address, as Next.js wants it; the host has been checked. */
function redirect({ env }: Pick<GuardContext, "env">, headers: Headers, path: string): Refusal {
  return { status: 303, body: "", headers: { Location: `${originOf(env, headers)}${path}`, ...common } };
}

async function refuseShare(deps: Deps, token: string, headers: Headers): Promise<Refusal | undefined> {
  const row = await deps.store.shares.byToken(hash(token));
  if (!row) return page(404, headers, "unknownShare");
  const gone = row.revokedAt !== null || (row.expiresAt !== null && row.expiresAt <= Date.now());
  return gone ? page(410, headers, "goneShare") : undefined;
}

const texts = {
  en: {
    starting: ["One moment", "Meguri is starting. Reload in a second."],
    signedOut: [
      "Open the printed link",
      "Meguri printed an address with a token in its terminal when it started. Open that one; this browser then stays signed in.",
    ],
    unknownShare: ["No such conversation", "There is nothing behind this link. Check that it is complete."],
    goneShare: ["This link has ended", "Its author revoked it, or it expired. Ask for a new one."],
  },
  ja: {
    starting: ["少しお待ちください", "Meguri は起動中です。1秒後に再読み込みしてください。"],
    signedOut: [
      "表示されたリンクを開いてください",
      "Meguri は起動時に、トークン付きのアドレスをターミナルに表示します。そちらを開くと、このブラウザでサインインできます。",
    ],
    unknownShare: [
      "会話が見つかりません",
      "このリンクの先には何もありません。リンクが途中で切れていないか確認してください。",
    ],
    goneShare: [
      "このリンクは終了しました",
      "作成者が取り消したか、期限が切れました。新しいリンクを依頼してください。",
    ],
  },
} as const;

function page(status: number, headers: Headers, key: keyof (typeof texts)["en"]): Refusal {
  const cookie = /(?:^|;\s*)locale=(en|ja)/.exec(headers.get("cookie") ?? "")?.[1];
  const locale = (cookie ?? (/^\s*ja\b/i.test(headers.get("accept-language") ?? "") ? "ja" : "en")) as
    | "en"
    | "ja";
  const [title, text] = texts[locale][key];
  return {
    status,
    body: plainPage({ locale, title, content: `<p>${text}</p>` }),
    headers: { "Content-Type": "text/html; charset=utf-8", ...common },
  };
}

const plain = (status: number, text: string): Refusal => ({
  status,
  body: text,
  headers: { "Content-Type": "text/plain; charset=utf-8", ...common },
});

const common = { "Cache-Control": "private, no-store", "X-Robots-Tag": "noindex" };
