import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { fixture, openPool, processesWith, root } from "@/lib/mcp/testing/test-pool";
import { detectIsolation, type Isolation } from "./process-tree";

const hosts: ChildProcess[] = [];
afterEach(() => {
  for (const host of hosts.splice(0)) host.kill("SIGKILL");
});

/** Polls, because the end of a process that is not our child is no event. */
async function waitFor(condition: () => boolean, ms: number): Promise<boolean> {
  const end = Date.now() + ms;
  while (!condition() && Date.now() < end) await wait(50);
  return condition();
}

const available = await detectIsolation();
const kinds: Isolation[] = process.platform === "linux" ? ["namespace", "group"] : ["group"];
/** Some kernels do not allow namespaces to users: there the test is skipped, and in CI it fails. */
const canHold = (isolation: Isolation) =>
  isolation === "group" || available === "namespace" || process.env.CI !== undefined;

describe.for(kinds)("held together by a %s", (isolation) => {
  const held = test.runIf(canHold(isolation));

  held("closing ends the server, its stubborn grandchild, and a server that ignores everything", async () => {
    const marker = randomUUID();
    const test = await openPool(
      { family: fixture("grandchild", marker), silent: fixture("silent", `silent-${marker}`) },
      { tuning: { isolation } },
    );
    await test.ready("family");
    expect(await waitFor(() => processesWith(`grandchild-${marker}`).length > 0, 5_000)).toBe(true);
    const started = Date.now();
    await test.close();
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(await waitFor(() => processesWith(marker).length === 0, 1_000)).toBe(true);
  });

  held("a server that dies takes its grandchild along", async () => {
    const marker = randomUUID();
    const test = await openPool({ family: fixture("grandchild", marker) }, { tuning: { isolation } });
    const { pid } = await test.ready("family");
    expect(await waitFor(() => processesWith(`grandchild-${marker}`).length > 0, 5_000)).toBe(true);
    const [grandchild] = processesWith(`grandchild-${marker}`);
    process.kill(pid ?? 0, "SIGKILL");
    expect(await waitFor(() => !processesWith(`grandchild-${marker}`).includes(grandchild ?? 0), 2_000)).toBe(
      true,
    );
    await test.ready("family");
    await test.close();
    expect(processesWith(marker)).toEqual([]);
  });

  held("after kill -9 of the host no process is left within 2 s", async () => {
    const marker = randomUUID();
    const folder = await mkdtemp(join(tmpdir(), "mcp-host-"));
    const host = spawn(
      process.execPath,
      [
        "--experimental-transform-types",
        "--no-warnings",
        join(root, "lib/mcp/testing/host.mjs"),
        isolation,
        folder,
        marker,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    hosts.push(host);
    await Promise.race([
      once(host.stdout, "data"),
      once(host, "exit").then(() => Promise.reject(new Error("The host ended by itself."))),
    ]);
    expect(await waitFor(() => processesWith(`grandchild-${marker}`).length > 0, 5_000)).toBe(true);
    host.kill("SIGKILL");
    await once(host, "exit");
    const gone = await waitFor(() => processesWith(marker).length === 0, 2_000);
    for (const pid of processesWith(marker)) process.kill(pid, "SIGKILL");
    expect(gone).toBe(true);
    await rm(folder, { recursive: true });
  });
});
