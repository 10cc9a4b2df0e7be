import { afterEach, expect, test } from "vitest";
import { common, openPool, textOf } from "./testing/test-pool";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});
const start = async (...args: Parameters<typeof openPool>) => {
  const pool = await openPool(...args);
  closing.push(() => pool.close());
  return pool;
};

test("arguments may name what the entry sets itself, and that comes before the variables of this process", async () => {
  const { ready, run } = await start(
    {
      bridge: {
        ...common(
          "header-bridge",
          "--header",
          `Authorization: Bearer \${AUTH_TOKEN}`,
          `\${REGION:-eu}`,
          `\${OURS}`,
        ),
        env: { AUTH_TOKEN: `\${MY_TOKEN}`, OURS: "of the entry" },
      },
    },
    {
      env: { PATH: process.env.PATH, MY_TOKEN: "t-1", AUTH_TOKEN: "not this one" },
      reservedEnv: ["OURS"],
    },
  );
  await ready("bridge");
  expect(JSON.parse(textOf((await run("bridge__arguments")).result))).toEqual([
    "--header",
    "Authorization: Bearer t-1",
    "eu",
    "of the entry",
  ]);
});

