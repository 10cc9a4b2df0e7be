import { statSync } from "node:fs";
import { resolve } from "node:path";
import { launchOf } from "./config/launch";
import type { PoolOptions } from "./mcp-pool";
import type { ManagedServer } from "./servers/managed-server";
import { dataFolderOf, workFolder } from "./servers/work-folder";

type Options = Pick<PoolOptions, "env" | "reservedEnv" | "root" | "secrets"> & {
  dataDir: string;
  /** Whose servers these are; undefined for those that everybody shares. */
  person?: string | undefined;
};

/**
 * Absolute paths of the folders in which a local server finds files that are put there for it: the `roots` of its entry, else
 * the folders at the end of its arguments (as `server-filesystem` takes them), else the folder that it works in where that was
 * made for it. None for a server elsewhere, and for one whose entry cannot be started.
 */
export function fileRootsOf({ name, config }: ManagedServer, options: Options): string[] {
  const { env, reservedEnv: reserved, root, secrets } = options;
  const dataDir = dataFolderOf(config, options);
  const variables = { env, reserved, root, dataDir, secret: (asked: string) => secrets?.get(name, asked) };
  try {
    const launch = launchOf(config, variables, workFolder(name, config, variables));
    if (launch.kind !== "stdio") return [];
    if (launch.roots.length > 0) return launch.roots;
    const named = foldersAtEnd(launch.args, launch.cwd);
    return named.length > 0 || launch.makes.length === 0 || launch.cwd === root
      ? named
      : [resolve(launch.cwd)];
  } catch {
    return [];
  }
}

/** What follows an option is its value, and may be anything: the folder of the program, for one. */
function foldersAtEnd(args: readonly string[], cwd: string): string[] {
  const isFolder = (arg: string, at: number) =>
    arg !== "" &&
    !arg.startsWith("-") &&
    !args[at - 1]?.startsWith("-") &&
    statSync(resolve(cwd, arg), { throwIfNoEntry: false })?.isDirectory() === true;
  const from = args.findLastIndex((arg, at) => !isFolder(arg, at)) + 1;
  return args.slice(from).map((arg) => resolve(cwd, arg));
}
