// The corpus of "Origin, host, CSRF": what another site's page, another name and a form can send. Driven over sockets by
// e2e/server/guard.spec.ts, against the handlers themselves (so without proxy.ts) by origin.test.ts.

/** Names under which nobody may be served at this port. */
export const foreignHosts = (port: number | string): string[] => [
  `evil.example:${port}`,
  "127.0.0.1",
  "localhost",
  `localhost.evil.example:${port}`,
  `127.0.0.1.evil.example:${port}`,
  `127.0.0.1:${port}1`,
  `127.0.0.2:${port}`,
  `localhost.:${port}`,
  `user@127.0.0.1:${port}`,
  `[::2]:${port}`,
];

/** Headers of a page that is not ours, where the browser adds the cookie by itself. */
export const foreignPages = (port: number): Record<string, string>[] => [
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: `http://127.0.0.1:${port + 1}`, "sec-fetch-site": "same-site" },
  { origin: `https://127.0.0.1:${port}` },
  { origin: `http://127.0.0.1.evil.example:${port}` },
  { origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "cross-site" },
  {},
];

/** The same where a script sends the token. */
export const foreignScripts: Record<string, string>[] = [
  { origin: "https://evil.example" },
  { origin: "null" },
  { "sec-fetch-site": "cross-site" },
];

/** A form sends these without asking the server before. */
export const formTypes = [
  "text/plain",
  "text/plain; charset=utf-8",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
];

/** Headers by which some servers take one method for another. */
export const methodOverrides = {
  "x-http-method-override": "DELETE",
  "x-method-override": "DELETE",
  "x-http-method": "DELETE",
};

export const oddPaths = [
  "/api/runs/%E0%A4%A",
  "/api/runs/%00",
  "//evil.example/%2e%2e",
  "/%",
  "/..%2f..%2fetc",
  "/\\x",
  `/api/runs/${"x".repeat(9_000)}`,
  `/settings?${"a=1&".repeat(2_000)}`,
  "/api/conversations/__proto__",
  "/api/mcp/servers/constructor",
];

/** Requests as bytes, none of which may be answered with a success. */
export const oddRequests = (host: string): string[] => [
  "GET / HTTP/1.1\r\n\r\n",
  "GET /\r\n\r\n",
  ...["/", "/api/settings", "/api/conversations"].map((path) => `GET ${path} HTTP/1.0\r\n\r\n`),
  `TRACE /api/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  `GET /api/settings HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n\r\n`,
  `GET /api/health HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
  `OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  "\u0000\u0001\u0002\r\n\r\n",
];
