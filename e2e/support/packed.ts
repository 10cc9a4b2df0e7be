import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..", "..");

/** What a command has printed, and its exit code. */
export interface Ended {
  stdout: string;
  stderr: string;
  code: number | null;
}

/** The package as npm packs and installs it, in a folder where nothing else is. */
export interface Packed {
  /** The folder into which it is installed. */
  folder: string;
  /** The command that npm has put into it. */
  command: string;
  /** Variables of a person who has a home, a data folder and no keys. */
  env(home: string): Record<string, string> & { NODE_ENV: "production" };
  /** Starts `meguri` with these arguments. */
  spawn(home: string, args: readonly string[]): ChildProcess;
  /** Runs `meguri` to its end, with `input` piped in. */
  run(home: string, args: readonly string[], input?: string): Promise<Ended>;
  dispose(): void;
}

/** Packs the build of `npm test`, and installs it without a network and without a cache. */
export async function packAndInstall(): Promise<Packed> {
  const place = mkdtempSync(join(tmpdir(), "meguri-packed-"));
  const folder = join(place, "installed");
  mkdirSync(folder);
  const node = process.execPath;
  const path = [dirname(node), process.env.PATH].join(delimiter);
  // Without what an npm above us says of its own project.
  const ours = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const options = {
    env: {
      ...(Object.fromEntries(ours) as NodeJS.ProcessEnv),
      PATH: path,
      npm_config_cache: join(place, "cache"),
    },
  };
  const build = process.env.E2E_DIST_DIR || ".next-test";
  await promisify(execFile)(node, ["scripts/pack.mjs", build, place], { ...options, cwd: root });
  const tarball = readdirSync(place).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(join(folder, "package.json"), "{}");
  const install = ["install", "--offline", "--no-audit", "--no-fund", join(place, tarball)];
  await promisify(execFile)("npm", install, { ...options, cwd: folder });

  const command = join(folder, "node_modules", ".bin", "meguri");
  const env = (home: string) => ({
    ...{ HOME: home, XDG_DATA_HOME: join(home, "share"), PATH: path, LANG: "C.UTF-8" },
    ...{ DEFAULT_MODEL: "demo/demo", LOG_LEVEL: "warn", CI: "true" },
    NODE_ENV: "production" as const,
  });
  const start = (home: string, args: readonly string[]) =>
    spawn(command, args, { cwd: home, env: env(home), stdio: "pipe" });
  return {
    ...{ folder, command, env },
    spawn: start,
    run: (home, args, input = "") => end(start(home, args), input),
    dispose: () => rmSync(place, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function end(child: ChildProcess, input: string): Promise<Ended> {
  const ended: Ended = { stdout: "", stderr: "", code: null };
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    ended.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    ended.stderr += text;
  });
  child.stdin?.end(input);
  const [code] = await once(child, "close");
  return { ...ended, code };
}
