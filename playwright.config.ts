import { existsSync } from "node:fs";
import { defineConfig, devices } from "@playwright/test";
import { findPostgres } from "./lib/store/testing/find-postgres.mjs";
import { findRedis } from "./lib/store/testing/find-redis.mjs";

/** Debian's. The first draws no windows, and takes two thirds of the other's time. */
const systemChromium = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(existsSync);

/** Test files start the application themselves (`e2e/support/app.ts`): many need one of their own, to kill it. */
export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // Three hundred tests on a busy machine: one that passes at its second try is printed as flaky, and looked at.
  retries: process.env.CI ? 1 : 0,
  workers: 3,
  // Nets, not measures: a machine that is busy with other things must not fail a test.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    // Recording costs every test a good part of its time, and nobody opens what CI has recorded.
    trace: process.env.CI ? "off" : "retain-on-failure",
    screenshot: "only-on-failure",
    locale: "en-US",
    timezoneId: "UTC",
    launchOptions: {
      ...(systemChromium !== undefined && { executablePath: systemChromium }),
      args: [
        // Chromium's own services; the pages themselves are held to their Content-Security-Policy.
        "--disable-background-networking",
        "--disable-component-update",
        // Without one, its part is computed in a process of its own, which takes a tenth of all the time.
        "--disable-gpu",
        // As Chromium with windows does: widths of letters are not rounded.
        "--font-render-hinting=none",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ],
    },
  },
  projects: [
    // They need no browser, and run where there is none. They wait for each other's processes more than they compute.
    {
      name: "http",
      testMatch: "server/**",
      testIgnore: [
        ...(findPostgres() === undefined ? ["server/postgres.spec.ts", "server/cluster*.spec.ts"] : []),
        ...(findRedis() === undefined ? ["server/cluster-redis.spec.ts"] : []),
        // `npm run soak -- cluster`
        ...(process.env.SOAK === "cluster" ? [] : ["server/cluster-chaos.spec.ts"]),
      ],
    },
    {
      name: "desktop",
      testIgnore: ["server/**", ...(findPostgres() === undefined ? ["browser/cluster.spec.ts"] : [])],
      // Pages keep two cores busy: a third would only make each slower.
      workers: 2,
      use: { ...devices["Desktop Chrome"], viewport: { width: 1280, height: 800 } },
    },
  ],
});
