import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";

const openMs = 60_000;

/** Whether a person sits at this machine and sees its screen. */
export function mayOpen(platform, env, isTerminal) {
  if (!isTerminal || env.CI || env.SSH_CONNECTION) return false;
  return platform === "win32" || platform === "darwin" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/**
 * Opens the address in the browser. Other people of this machine can read the command lines of its processes, so what stands
 * there is an address that is good once, and leads to this one with its token. Resolves when it was asked for, or after a minute.
 */
export function openBrowser(url) {
  const path = `/${randomBytes(24).toString("base64url")}`;
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      if (request.url !== path) return response.writeHead(404).end();
      response.writeHead(302, { location: url, "cache-control": "no-store", connection: "close" }).end();
      done();
    });
    const done = () => {
      clearTimeout(timer);
      server.close();
      resolve(undefined);
    };
    const timer = setTimeout(done, openMs).unref();
    server.once("error", done);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
      const child = spawn(command, [...args, `http://127.0.0.1:${port}${path}`], {
        stdio: "ignore",
        detached: true,
      });
      // Without one the printed address remains.
      child.once("error", done);
      child.unref();
    });
  });
}

const openers = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
