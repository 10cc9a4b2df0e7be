import { expect, test } from "vitest";
import { LoginProvider } from "./login-provider";
import { LoginStore } from "./login-store";
import type { SavedLogin } from "./types";

const url = new URL("https://mcp.example/");

/** A memory that fails as long as it is told to, with all that was written to it. */
function faulty(saved?: SavedLogin) {
  const disk = { written: [] as (SavedLogin | undefined)[], fault: undefined as string | undefined };
  const orFail = () => {
    if (disk.fault) throw new Error(disk.fault);
  };
  const memory = {
    get: async () => {
      orFail();
      return saved;
    },
    set: async (_server: string, login: SavedLogin | undefined) => {
      orFail();
      disk.written.push(login);
    },
  };
  return { disk, memory, store: new LoginStore(memory, "remote", url) };
}

test("a change that could not be written does not keep the next one from being written", async () => {
  const { disk, store } = faulty();
  await store.load();
  disk.fault = "The disk is full.";
  await expect(store.change({ wantedScope: "read" })).rejects.toThrow("The disk is full.");
  disk.fault = undefined;
  await store.change({ wantedScope: "write" });
  expect(disk.written).toEqual([{ url: url.href, wantedScope: "write" }]);
});

test("what could not be written goes with the next change", async () => {
  const { disk, store } = faulty();
  await store.load();
  disk.fault = "The disk is full.";
  await expect(store.change({ wantedScope: "read" })).rejects.toThrow("The disk is full.");
  disk.fault = undefined;
  await store.change({ tokens: { access_token: "renewed", token_type: "Bearer" } });
  expect(disk.written).toMatchObject([{ wantedScope: "read", tokens: { access_token: "renewed" } }]);
});

test("a login that could not be read is read again", async () => {
  const { disk, store } = faulty({ url: url.href, wantedScope: "read" });
  disk.fault = "The database is locked.";
  await expect(store.load()).rejects.toThrow("The database is locked.");
  disk.fault = undefined;
  await store.load();
  expect(store.saved.wantedScope).toBe("read");
});

test("a key that could not be saved does not keep later requests from being signed", async () => {
  const authorizationServerMetadata = { dpop_signing_alg_values_supported: ["ES256"] };
  const discovery = { authorizationServerUrl: "https://login.example/", authorizationServerMetadata };
  const { disk, memory, store } = faulty({ url: url.href, discovery: discovery as never });
  await store.load();
  const provider = new LoginProvider(store, { memory, redirectUrls: [] }, {});
  disk.fault = "The disk is full.";
  await expect(provider.dpop()).rejects.toThrow("The disk is full.");
  disk.fault = undefined;
  expect(await provider.dpop()).toBeDefined();
});
