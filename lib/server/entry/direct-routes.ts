import { addRoute, createRouter, findRoute } from "rou3";
import { headersOf } from "@/lib/server/http/answer-headers";
import type { NextHandler } from "./route";

/** Loads a `route.ts` when it is first asked for. */
type LoadRoute = () => Promise<Readonly<Record<string, unknown>>>;

/** Each of them by its path below the project. */
export type RouteModules = Readonly<Record<string, LoadRoute>>;

/** Answers a request as the route does that Next.js would find for it. */
export interface DirectRoute {
  /** Sent with the answer; they win over the route's own, as in Next.js. */
  headers: readonly { key: string; value: string }[];
  answer(request: Request): Promise<Response>;
}

/** Nothing where Next.js has to find the route; a promise of nothing where the route lacks the method, as all lack `HEAD` and `OPTIONS`. */
export type FindRoute = (method: string, url: string) => Promise<DirectRoute | undefined> | undefined;

/**
 * Finds routes without Next.js, by method and address. Every address that is spelled in an unusual way, such as with `..` or
 * an empty part, is left to Next.js, and so is the catch-all.
 */
export function directRoutes(modules: RouteModules): FindRoute {
  const router = createRouter<LoadRoute>();
  for (const [file, load] of Object.entries(modules))
    if (!file.includes("[...")) addRoute(router, "", patternOf(file), load);
  return (method, url) => {
    const path = pathOf(url);
    const found = isUsual(path) ? findRoute(router, "", path) : undefined;
    return found && toRoute(found.data, method, path, namesOf(found.params));
  };
}

/** `app/api/runs/[id]/route.ts` is `/api/runs/:id`. */
const patternOf = (file: string): string =>
  file
    .replace(/^.*?\bapp(?=\/)/, "")
    .replace(/\/route\.ts$/, "")
    .replaceAll(/\[(\w+)\]/g, ":$1");

/** The printed URL and what OAuth has at a fixed place are the API's, as in the rewrites of `next.config.ts`. */
const pathOf = (url: string): string => {
  const [path = "", query] = url.split("?", 2);
  const wellKnown = /^\/\.well-known\/oauth-(?:protected-(resource)(?:\/mcp)?|authorization-(server))$/.exec(
    path,
  );
  if (wellKnown) return `/api/oauth/${wellKnown[1] ?? wellKnown[2]}`;
  return path === "/" && new URLSearchParams(query).has("token") ? "/api/session" : path;
};

/** `URL` leaves out `..` and the like. */
const isUsual = (path: string): boolean =>
  (/^\/(api|v1)\//.test(path) || path === "/mcp") &&
  !path.endsWith("/") &&
  !encodedForNothing.test(path) &&
  new URL(path, "http://localhost").pathname === path;

/** Letters, digits and `-._~`, which need not be encoded: Next.js reads them before it looks for the route. */
const encodedForNothing = /%(2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/i;

const namesOf = (params: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));

async function toRoute(
  load: LoadRoute,
  method: string,
  path: string,
  names: Record<string, string>,
): Promise<DirectRoute | undefined> {
  const handler = (await load())[method];
  if (typeof handler !== "function") return undefined;
  return {
    headers: headersOf(path),
    answer: (request) => (handler as NextHandler)(request, { params: Promise.resolve(names) }),
  };
}
