import { realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, relative } from "node:path";
import type { BaseDeps } from "@/lib/server/base-deps";

/**
 * Takes the folders of this machine out of texts that leave it, as they say who runs it: those of Meguri and its data, of
 * the person, of temporary files, and what the entries of servers name. Other paths that a result names are left.
 */
export function pathHider({ env, pool }: Pick<BaseDeps, "env" | "pool">): (text: string) => string {
  const own = [
    [process.cwd(), "."],
    [homedir(), "~"],
  ] as const;
  const others = [
    [env.DATA_DIR, "[data]"],
    ...[
      dirname(env.MCP_CONFIG),
      env.AGENTS_DIR,
      env.SKILLS_DIR,
      dirname(process.execPath),
      ...pool.folders(),
    ].map((path) => [path, "[folder]"] as const),
    [tmpdir(), "[temp]"],
  ] as const;
  const isInside = (path: string) => own.some(([base]) => base.length > 1 && isWithin(base, path));
  const names = new Map<string, string>();
  for (const [path, name] of [...own, ...others.filter(([path]) => !isInside(path))])
    for (const form of formsOf(path)) if (!names.has(form)) names.set(form, name);
  // The longest first: of a folder in a folder the nearer one is named.
  const forms = [...names.keys()].sort((a, b) => b.length - a.length);
  if (forms.length === 0) return (text) => text;
  const pattern = new RegExp(
    `(?:${forms.map((form) => RegExp.escape(form)).join("|")})(?![\\p{L}\\p{N}_])`,
    "gu",
  );
  return (text) => text.replace(pattern, (path) => names.get(path) ?? path);
}

/** As it is written, without links, and in JSON. What every machine has says nothing. */
function formsOf(path: string): string[] {
  const plain = path.replace(/[\\/]+$/, "");
  const forms = [plain, realOf(plain)].flatMap((form) => [form, form.replaceAll("\\", "\\\\")]);
  return [...new Set(forms)].filter((form) => form.length > 1 && !common.includes(form));
}

const common = ["/tmp", "/var/tmp", "/bin", "/usr", "/usr/bin", "/usr/local/bin", "/opt", "/etc", "/home"];

function realOf(path: string): string {
  try {
    return realpathSync(path || "/");
  } catch {
    return path;
  }
}

function isWithin(base: string, path: string): boolean {
  const way = relative(base, path);
  return !way.startsWith("..") && !isAbsolute(way);
}
