import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { McpServerList } from "@/lib/protocol/mcp";
import { readStream, textOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

const root = join(import.meta.dirname, "..", "..");
const build = process.env.E2E_DIST_DIR || ".next-test";
const isRoot = process.getuid?.() === 0;
/** Who has no rights on this machine, and owns nothing else. */
const uid = isRoot ? 54_321 : (process.getuid?.() ?? 0);

/** The stage of the Dockerfile that becomes the image. */
const stage =
  readFileSync(join(root, "Dockerfile"), "utf8")
    .split(/^FROM .*$/m)
    .at(-1) ?? "";
const copied = [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = ""]) =>
  paths.split(" "),
);
const env = Object.fromEntries(
  (/^ENV ((?:.*\\\n)*.*)$/m.exec(stage)?.[1] ?? "")
    .split(/[\s\\]+/)
    .map((pair) => [pair.split("=")[0] ?? "", pair.slice(pair.indexOf("=") + 1)]),
);
const [, healthCheck = "[]"] = /^HEALTHCHECK [\s\S]*?CMD (\[.*\])$/m.exec(stage) ?? [];
const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(stage) ?? [];

/** The packages of `npm ci --omit=dev`, outermost folders alone. */
function packages(): string[] {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  const kept = Object.entries(lock.packages).flatMap(([path, { dev, devOptional }]) =>
    path === "" || dev || devOptional || /\/node-\w+-\w+$/.test(path) ? [] : [path],
  );
  return kept.filter((path) => path.lastIndexOf("node_modules/") === 0 && existsSync(join(root, path)));
}

/** The same file under another name; packages bring some 30,000, which to copy would take long. */
function link(from: string, to: string): void {
  const what = statSync(from);
  if (!what.isDirectory()) {
    linkOrCopy(from, to);
    return;
  }
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.isDirectory()) link(source, target);
    else linkOrCopy(source, target);
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EXDEV") throw cause;
    copyFileSync(from, to);
  }
}

/** What the image holds, and nothing else of the project; and the `node` of the image. */
function makeImage(home: string): string {
  const app = join(home, "app");
  for (const path of [...packages(), ...copied]) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    link(join(root, path), join(app, path));
  }
  link(join(root, build), join(app, build));
  // What starts on the machine have left in the build.
  for (const name of ["cache", "compiled", "meguri-server.json"])
    rmSync(join(app, build, name), { recursive: true, force: true });
  mkdirSync(join(home, "bin"));
  linkOrCopy(process.execPath, join(home, "bin", "node"));
  return app;
}

const foldersOf = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name)),
];

/** When each file and folder was last written. */
const statesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map(
    (name) => `${name} ${lstatSync(join(folder, name)).mtimeMs}`,
  );

test("what the Dockerfile copies is enough for a user without rights, who writes to DATA_DIR alone", async () => {
  const home = mkdtempSync(join(tmpdir(), "meguri-image-"));
  chmodSync(home, 0o755);
  const app = makeImage(home);
  const dataDir = join(home, "volume");
  mkdirSync(dataDir, { mode: 0o700 });
  if (isRoot) chownSync(dataDir, uid, uid);
  else for (const name of foldersOf(app)) chmodSync(name, 0o555);
  const before = statesOf(app);
  const options = {
    ...{ cwd: app, ...(isRoot && { uid, gid: uid }) },
    env: {
      ...Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, value.replace("/data", dataDir)]),
      ),
      ...{ PATH: `${join(home, "bin")}:/usr/bin:/bin`, NEXT_DIST_DIR: build, LOG_LEVEL: "warn" },
      // Tests listen on this machine alone.
      ...{ HOST: "127.0.0.1", PORT: "0", APP_PORT: "0" },
      NODE_ENV: "production" as const,
    },
  };
  const [node = "", ...args] = JSON.parse(command) as string[];
  const server = spawn(node, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  try {
    let output = "";
    server.stderr.on("data", (data) => {
      output += data;
    });
    let url: URL | undefined;
    for await (const line of createInterface({ input: server.stdout })) {
      output += `${line}\n`;
      const [, printed] = /Meguri is ready: (\S+)/.exec(line) ?? [];
      if (printed) url = new URL(printed);
      if (printed) break;
    }
    if (!url) throw new Error(output);
    server.stdout.resume();
    const [check = "", ...checkArgs] = JSON.parse(healthCheck) as string[];
    const portEnv = { ...options, env: { ...options.env, PORT: url.port } };
    await promisify(execFile)(check, checkArgs, portEnv);
    await expect(
      promisify(execFile)(check, checkArgs, { ...options, env: { ...options.env, PORT: "1" } }),
    ).rejects.toThrow();

    const call = await signUp(url);
    await expect
      .poll(async () => {
        const { items } = (await (await call("GET", "/api/mcp/servers")).json()) as McpServerList;
        return items.find(({ name }) => name === "filesystem")?.status;
      })
      .toBe("ready");
    const answer = await readStream(
      await call("POST", "/api/chat", { message: { text: "list the files" }, model: "demo/demo" }),
    );
    expect(textOf(answer.events)).toContain("welcome.md");
    server.kill("SIGTERM");
    expect((await once(server, "exit"))[0]).toBe(0);

    expect(readdirSync(dataDir)).toEqual(
      expect.arrayContaining(["agents", "mcp-servers.json", "meguri.db", "sandbox", "secrets.json"]),
    );
    expect(output).not.toMatch(/EACCES|EPERM|EROFS/);
    expect(statesOf(app)).toEqual(before);
    expect(readdirSync(home).sort()).toEqual(["app", "bin", "volume"]);
    if (isRoot) expect(readdirSync(tmpdir()).filter((name) => isOurs(join(tmpdir(), name)))).toEqual([]);
  } finally {
    server.kill("SIGKILL");
    if (!isRoot) for (const name of foldersOf(app)) chmodSync(name, 0o755);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** Others come and go in that folder. */
const isOurs = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.uid === uid;

/** The first person, by the printed address. */
async function signUp({ origin, searchParams }: URL) {
  const answer = await fetch(`${origin}/api/auth/sign-up/email`, {
    method: "POST",
    headers: {
      ...{ origin, "content-type": "application/json" },
      authorization: `Bearer ${searchParams.get("token")}`,
    },
    body: JSON.stringify({ name: "aiko", email: "aiko@example.com", password: "a long enough password" }),
  });
  expect(answer.status).toBe(201);
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  return (method: string, path: string, body?: unknown) =>
    fetch(origin + path, {
      method,
      headers: { cookie, origin, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
}
