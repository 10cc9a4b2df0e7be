import { createGuardedServer, listen } from "./http-server.mjs";
import { readMermaidFile } from "./mermaid-files.mjs";
import { SetupError } from "./setup-error.mjs";

/**
 * The second listener: the pages in which apps of MCP servers run, on an origin that is not the application's. It knows
 * neither session nor API; what it answers comes from the runtime (`appPage(path)`), but for the code that draws diagrams.
 * Resolves with its port.
 */
export async function listenForApps({ host, appPort, allowedAppHosts, homeUrl, runtime }) {
  let allowedHosts = new Set();
  const server = createGuardedServer({
    isAllowedHost: (name) => allowedHosts.has(name),
    homeUrl,
    onRequest: (request, response) => answer(request, response, runtime()),
  });
  const port = await listen(server, { host, port: appPort }).catch(({ code }) => {
    throw new SetupError(
      `The port of apps, APP_PORT=${appPort} on ${host}, cannot be used (${code}): choose another, or remove APP_PORT for any free one.`,
    );
  });
  allowedHosts = allowedAppHosts(port);
  return port;
}

async function answer(request, response, runtime) {
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || !runtime) {
    response.writeHead(runtime ? 405 : 503, { "content-length": 0, connection: "close" });
    return response.end();
  }
  const { status, headers, body } = (await readMermaidFile(request.url)) ?? runtime.appPage(request.url);
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(request.method === "HEAD" ? undefined : body);
}
