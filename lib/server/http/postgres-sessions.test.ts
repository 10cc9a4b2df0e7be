import { expect, test } from "vitest";
import { openSharedStores } from "@/lib/store/testing/temp-store";
import { Sessions } from "./sessions";

const secrets = { appSecret: "s".repeat(32), launchToken: "token-of-sixteen-letters" };

test("who has signed in at one instance is signed in at the others at once", async () => {
  const [here, there] = (await openSharedStores(2)).map((store) => new Sessions({ store, secrets }));
  // What it keeps in memory from now on lacks those that begin later.
  expect(await there?.has("nobody's")).toBe(false);
  for (let round = 0; round < 3; round++) {
    const values = await Promise.all([here?.begin(undefined), here?.begin(undefined)]);
    expect(await Promise.all(values.map((value) => there?.has(value ?? "")))).toEqual([true, true]);
  }
});
