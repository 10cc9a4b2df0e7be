import { expect, test } from "vitest";
import { passkeyPlace, passkeySite } from "./passkey-site";

test.each([
  [undefined, "localhost", "http://localhost:3000"],
  ["https://meguri.example.com", "meguri.example.com", "https://meguri.example.com"],
  ["https://meguri.example.com:8443/", "meguri.example.com", "https://meguri.example.com:8443"],
  ["http://localhost:8080", "localhost", "http://localhost:8080"],
  ["http://meguri.example.com", undefined, undefined],
  ["http://127.0.0.1:3000", undefined, undefined],
  ["https://192.0.2.7", undefined, undefined],
  ["https://3221225991", undefined, undefined],
  ["https://[2001:db8::7]", undefined, undefined],
])("with PUBLIC_URL %s passkeys belong to %s", (PUBLIC_URL, rpID, origin) => {
  const site = passkeySite({ PORT: 3000, PUBLIC_URL });
  expect([site?.rpID, site?.origin]).toEqual([rpID, origin]);
});

test("a page offers passkeys where it was opened by the name that they belong to", () => {
  const local = { PORT: 3000, PUBLIC_URL: undefined };
  expect(passkeyPlace(local, "LocalHost:3000").isHere).toBe(true);
  expect(passkeyPlace(local, "127.0.0.1:3000")).toEqual({ origin: "http://localhost:3000", isHere: false });
  expect(passkeyPlace({ ...local, PUBLIC_URL: "https://192.0.2.7" }, "192.0.2.7")).toEqual({
    ...{ origin: null, isHere: false },
  });
  expect(passkeyPlace({ ...local, PUBLIC_URL: "https://a.example" }, "localhost:3000").isHere).toBe(false);
});
