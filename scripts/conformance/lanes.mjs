import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { rolldown } from "rolldown";
import { ensureBuilt } from "../build.mjs";

const root = join(import.meta.dirname, "../..");
const node = process.execPath;
/** Dozens of clients start at once and read the same sources. */
const cache = join(root, "node_modules/.cache/conformance");
const cached = { ...process.env, NODE_COMPILE_CACHE: cache };
const flags = ["--disable-warning=ExperimentalWarning", "--import", join(root, "bench/resolve.mjs")];

/**
 * Who is put to the test: `open()` gets a lane ready and gives the command that the suite starts for each scenario,
 * the environment it needs, and `close()`.
 */
export const lanes = [
  { name: "lib/mcp", open: () => openScript("lib/mcp/testing/conformance-client.ts") },
  { name: "application", open: openApplication },
];

/** The other side: the application as a server, which is given by its address. */
export const gateway = { name: "gateway", open: openGateway };

/** The SDK's client as it is, for comparison. */
export const bareSdk = { name: "bare SDK", open: () => openScript("lib/mcp/testing/sdk-client.ts") };

const openScript = async (path) => ({
  command: commandOf("--disable-warning=ExperimentalWarning", await bundle(path)),
  env: cached,
  close: async () => {},
});

/** In one file: to read and strip hundreds takes half of the time that a client lives, and 124 of them start. */
async function bundle(path) {
  const file = join(cache, basename(path).replace(/ts$/, "mjs"));
  const resolve = { alias: { "@": root }, mainFields: ["module", "main"] };
  const made = await rolldown({ input: join(root, path), cwd: root, platform: "node", resolve });
  await made.write({ file, format: "esm", codeSplitting: false });
  await made.close();
  return file;
}

/** One application for all scenarios of the lane. */
async function openApplication() {
  const { address, close } = await serve("e2e/conformance/serve.ts");
  return {
    command: commandOf(...flags, "e2e/conformance/client.ts"),
    env: { ...cached, MEGURI_CONFORMANCE_APP: address },
    close,
  };
}

async function openGateway() {
  const { address: url, close } = await serve("e2e/conformance/serve-gateway.ts");
  return { url, env: cached, close };
}

/** What a script says first when it is ready; it ends when its standard input does, so that it cannot outlive us. */
async function serve(script) {
  await ensureBuilt(root, node, ".next-test");
  const child = spawn(node, [...flags, script], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const [address] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "exit").then(([code]) => {
      throw new Error(`The application for the conformance suite ended with code ${code}.`);
    }),
  ]);
  const close = async () => {
    const exited = child.exitCode === null ? once(child, "exit") : undefined;
    child.stdin.end();
    await exited;
  };
  return { address, close };
}

/** The suite hands it to a shell, and starts it in the folder that it was started in. */
const commandOf = (...args) => [node, ...args].map((part) => JSON.stringify(part)).join(" ");
