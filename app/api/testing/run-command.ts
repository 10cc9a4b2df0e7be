import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const flags = ["--experimental-transform-types", "--disable-warning=ExperimentalWarning", "--import"];

export function startCommand(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  const scripts = join(process.cwd(), "scripts");
  return spawn(
    process.execPath,
    [...flags, join(scripts, "typescript.mjs"), join(scripts, script), ...args],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } },
  );
}

/** Runs a command on the data folder as `npm run` does, in a process of its own; gives its exit code and all that it printed. */
export async function runCommand(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<{ code: number | null; said: string }> {
  const child = startCommand(script, args, env);
  const [out, err] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, "close");
  return { code, said: (await out) + (await err) };
}
