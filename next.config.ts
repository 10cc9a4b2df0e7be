import type { NextConfig } from "next";
import { answerHeaders, openerPolicy, sharedHeaders } from "./lib/server/http/answer-headers";

const hasFaults = process.env.MEGURI_FAULTS === "1";

const config: NextConfig = {
  // Tests build into a folder of their own, so that a rebuild never pulls files from under a running server.
  distDir: process.env.NEXT_DIST_DIR ?? ".next",
  // Fault points (`lib/faults`) are in a build that is made for them, and left out of every other one. It has no pages, and is
  // made once for a few tests.
  env: { MEGURI_FAULTS: hasFaults ? "1" : "" },
  ...(hasFaults && { pageExtensions: ["ts"] }),
  poweredByHeader: false,
  reactStrictMode: true,
  // `npm test` checks types; a start on somebody's machine builds what was checked, and faster.
  typescript: { ignoreBuildErrors: true },
  turbopack: {
    root: import.meta.dirname,
    // Messages are compiled when the application is built; without it they would be shown as they are written.
    rules: { "**/app/messages/{en,ja}/*.json": { loaders: ["./app/messages/compile.mjs"] } },
    resolveAlias: { "use-intl/format-message": "use-intl/format-message/format-only" },
  },
  // They start child processes, open sockets or load native parts: Node resolves them at run time, unbundled.
  serverExternalPackages: [
    "@modelcontextprotocol/client",
    "@modelcontextprotocol/sdk",
    "undici",
    "pino",
    "kysely",
    "pg-cursor",
    "@redis/client",
    "better-auth",
    "@better-auth/passkey",
    "@simplewebauthn/server",
    "openid-client",
    "prom-client",
  ],
  // A page that is asked for while no server answers opens when it does; without it the browser would leave the page that is
  // open, with all that is loaded in it.
  experimental: {
    useOffline: true,
    // Loading every route at a start lets the first page wait for all of them: 740 ms instead of 310.
    preloadEntriesOnStart: false,
    ...(hasFaults && { turbopackMinify: false, turbopackSourceMaps: false }),
  },
  headers: async () => [
    { source: "/:path*", headers: answerHeaders },
    // "none": no page is behind the request, a person or another program has opened the address. All others get the header.
    {
      source: "/:path*",
      missing: [{ type: "header", key: "sec-fetch-site", value: "none" }],
      headers: [openerPolicy],
    },
    ...["/share/:path*", "/api/share/:path*"].map((source) => ({ source, headers: sharedHeaders })),
  ],
  rewrites: async () => ({
    // The printed URL: the route sets the session cookie and redirects to the clean address.
    beforeFiles: [
      { source: "/", has: [{ type: "query", key: "token" }], destination: "/api/session" },
      // Where clients that know OAuth alone look first.
      { source: "/.well-known/oauth-protected-resource", destination: "/api/oauth/resource" },
      { source: "/.well-known/oauth-protected-resource/mcp", destination: "/api/oauth/resource" },
      { source: "/.well-known/oauth-authorization-server", destination: "/api/oauth/server" },
    ],
    afterFiles: [],
    fallback: [],
  }),
};

export default config;
