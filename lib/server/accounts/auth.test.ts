import { getMigrations } from "better-auth/db/migration";
import { expect, test } from "vitest";
import { readEnv } from "@/lib/server/env";
import { onSqlite } from "@/lib/server/testing/on-sqlite";
import { openTempStore } from "@/lib/store/testing/temp-store";
import { type AuthDeps, authOptions } from "./auth";
import { passkeyPlugin } from "./passkey-plugin";

test("our tables have every column and index that better-auth asks for", async (context) => {
  onSqlite(
    context,
    "It takes both engines for SQLite, and asks for that one's catalogue; the tables are the same.",
  );
  const store = await openTempStore();
  const env = readEnv({ AUTH: "accounts" });
  const secrets = { appSecret: "s".repeat(32), launchToken: "" };
  const deps = { env, store, secrets, log: console } as unknown as AuthDeps;
  const { toBeCreated, toBeAdded } = await getMigrations({
    ...authOptions(deps),
    plugins: [passkeyPlugin(env)],
  });
  expect([toBeCreated, toBeAdded]).toEqual([[], []]);
});
