import { expect, test } from "vitest";
import { readListenSettings } from "./listen-settings.mjs";

test("without variables it listens on 127.0.0.1:3000 under the loopback names only", () => {
  const { host, port, allowedHosts } = readListenSettings({ PORT: "", HOST: "" });
  expect([host, port]).toEqual(["127.0.0.1", 3000]);
  expect([...allowedHosts(3000)]).toEqual(["127.0.0.1:3000", "localhost:3000", "[::1]:3000"]);
});

test("localhost is 127.0.0.1, whatever the system calls it first", () => {
  expect(readListenSettings({ HOST: "localhost" }).host).toBe("127.0.0.1");
  expect(readListenSettings({ HOST: "::1" }).host).toBe("::1");
});

test("the names carry the port that was given by the system, and PUBLIC_URL adds its own", () => {
  const { allowedHosts } = readListenSettings({ PORT: "0", PUBLIC_URL: "https://Meguri.Example/chat" });
  expect([...allowedHosts(41_234)]).toEqual([
    "127.0.0.1:41234",
    "localhost:41234",
    "[::1]:41234",
    "meguri.example",
  ]);
});

test("apps take any free port, under names of their own", () => {
  const { appPort, allowedAppHosts } = readListenSettings({ APP_URL: "https://apps.example" });
  expect(appPort).toBe(0);
  expect([...allowedAppHosts(4)]).toEqual(["127.0.0.1:4", "localhost:4", "[::1]:4", "apps.example"]);
});

test("on port 80 a browser leaves the port out", () => {
  expect(readListenSettings({ PORT: "80" }).allowedHosts(80)).toContain("localhost");
});

test.each([
  [{ PORT: "abc" }, 'PORT must be a number from 0 to 65535, not "abc".'],
  [{ PORT: "65536" }, 'PORT must be a number from 0 to 65535, not "65536".'],
  [{ PORT: "-1" }, 'PORT must be a number from 0 to 65535, not "-1".'],
  [{ PUBLIC_URL: "meguri.example" }, "PUBLIC_URL must be a http:// or https:// address"],
  [{ PUBLIC_URL: "ftp://meguri.example" }, "PUBLIC_URL must be a http:// or https:// address"],
  [{ APP_PORT: "x" }, 'APP_PORT must be a number from 0 to 65535, not "x".'],
  [{ APP_URL: "apps.example" }, "APP_URL must be a http:// or https:// address"],
  [
    { PUBLIC_URL: "https://m.example", APP_URL: "https://m.example/apps" },
    "APP_URL must differ from PUBLIC_URL",
  ],
  [{ AUTH: "account" }, 'AUTH must be "local" or "accounts", not "account".'],
  [{ HOST: "0.0.0.0" }, "HOST=0.0.0.0 opens Meguri to the network, which needs accounts: set AUTH=accounts"],
  [{ HOST: "0.0.0.0", PUBLIC_URL: "https://m.example" }, "which needs accounts: set AUTH=accounts"],
  [{ HOST: "::", AUTH: "accounts" }, "HOST=:: opens Meguri to the network, which needs the address"],
  [{ HOST: "127.evil.example" }, "HOST=127.evil.example opens Meguri to the network"],
])("%j stops the start with a sentence that names the variable", (env, sentence) => {
  expect(() => readListenSettings(env)).toThrow(sentence);
});

test("with accounts and the address that people type it listens for the network", () => {
  const env = { AUTH: "accounts", HOST: "0.0.0.0", PUBLIC_URL: "https://meguri.example" };
  const { host, allowedHosts } = readListenSettings(env);
  expect(host).toBe("0.0.0.0");
  expect([...allowedHosts(3000)]).toEqual([
    "127.0.0.1:3000",
    "localhost:3000",
    "[::1]:3000",
    "meguri.example",
  ]);
  expect(readListenSettings({ AUTH: "accounts" }).host).toBe("127.0.0.1");
});
