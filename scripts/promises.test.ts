import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** Planted: the linter has to know the type of what another file declares, or it sees neither of them. */
const files = {
  "log.ts": `export interface Log {
  append(text: string): Promise<void>;
}
export type Kind = "a" | "b";
`,
  "use.ts": `import type { Kind, Log } from "./log";

export function write(log: Log): void {
  log.append("not awaited");
}

export function nameOf(kind: Kind): string {
  switch (kind) {
    case "a":
      return "A";
    default:
      return "hides what is missing";
  }
}
`,
  "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, module: "esnext" }, include: ["*.ts"] }),
};

test("a promise that nobody awaits and a default that hides a member of a union are errors", () => {
  const folder = mkdtempSync(join(tmpdir(), "meguri-promises-"));
  try {
    copyFileSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
    const args = [oxlint, "--type-aware", "--format=unix", folder];
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    expect(stdout).toMatch(/use\.ts:4:.*no-floating-promises/);
    expect(stdout).toMatch(/use\.ts:8:.*switch-exhaustiveness-check/);
    expect(status).toBe(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
