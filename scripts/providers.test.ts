import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { providerTable } from "@/lib/providers/provider-table";
import { accessOf, providerVariables, readProviderEnv } from "@/lib/server/provider-env";
import { showAccess } from "@/lib/server/settings/provider-access";

const root = join(import.meta.dirname, "..");
const ids = providerTable.map(({ id }) => id);

/** What the application is built of, but the room of the providers. */
const sources = ["app", "components", "lib"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\/testing\/|^lib\/providers\//.test(path));

test("no other room names a provider: a new one is its file and its line in the table", () => {
  const named = new RegExp(`["'\`](${ids.join("|")})["'\`]`);
  const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  expect(
    sources.filter((path) => named.test(withoutComments(readFileSync(join(root, path), "utf8")))),
  ).toEqual([]);
});

test("the line in the table is enough for its variables, its settings and its traces", () => {
  const traceNames = providerTable.map(({ id, traceName = id }) => traceName);
  for (const list of [ids, traceNames, providerVariables]) expect(new Set(list).size).toBe(list.length);
  for (const { id, keyVariables, addressVariables } of providerTable) {
    const [key] = keyVariables;
    const env = readProviderEnv({
      [addressVariables[0].name]: "http://127.0.0.1:9",
      ...(key && { [key]: "k" }),
    });
    expect(accessOf(env)[id]).toEqual({ baseURL: "http://127.0.0.1:9", ...(key && { apiKey: "k" }) });
    expect(showAccess(accessOf(env), {}).find((item) => item.id === id)).toMatchObject({
      takesKey: key !== undefined,
      source: "environment",
    });
  }
});
