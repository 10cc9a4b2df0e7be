import type { NextConfig } from "next";

const config: NextConfig = {
  // Tests build into a folder of their own, so that a rebuild never pulls files from under a running server.
  distDir: process.env.NEXT_DIST_DIR ?? ".next",
  poweredByHeader: false,
  reactStrictMode: true,
  turbopack: { root: import.meta.dirname },
  // They start child processes, open sockets or load native parts: Node resolves them at run time, unbundled.
  serverExternalPackages: ["@modelcontextprotocol/client", "undici", "pino", "kysely"],
  rewrites: async () => ({
    // The printed URL: the route sets the session cookie and redirects to the clean address.
    beforeFiles: [{ source: "/", has: [{ type: "query", key: "token" }], destination: "/api/session" }],
    afterFiles: [],
    fallback: [],
  }),
};

export default config;
