import { expect, test } from "vitest";
import { TestLoginMemory } from "@/lib/mcp/testing/login-memory";
import { LoginProvider } from "./login-provider";
import { LoginStore, type SavedLogin } from "./login-store";

const url = "https://mcp.example/";
const pending = {
  state: "s",
  codeVerifier: "v",
  redirectUrl: "http://127.0.0.1/",
  expiresAt: Number.POSITIVE_INFINITY,
};
const discovery = {
  authorizationServerUrl: "https://login.example/",
  authorizationServerMetadata: { dpop_signing_alg_values_supported: ["ES256"] },
} as never;

/** As many processes as are wanted, which have read the same login. */
async function open(saved: Partial<SavedLogin> = {}, memory = new TestLoginMemory()) {
  memory.kept.set("remote", { url, ...saved });
  const openStore = () => new LoginStore(memory, "remote", new URL(url));
  const [one, other] = [openStore(), openStore()];
  await Promise.all([one.load(), other.load()]);
  return { memory, openStore, one, other, kept: () => memory.kept.get("remote") };
}

test("a change that could not be written does not keep the next one from being written", async () => {
  const { memory, one, kept } = await open();
  memory.fault = "The disk is full.";
  await expect(one.change({ wantedScope: "read" })).rejects.toThrow("The disk is full.");
  memory.fault = undefined;
  await one.change({ wantedScope: "write" });
  expect(kept()).toEqual({ url, wantedScope: "write" });
});

test("what could not be written counts at once, and goes with the next change", async () => {
  const { memory, one, kept } = await open();
  memory.fault = "The disk is full.";
  const tokens = { access_token: "renewed", token_type: "Bearer" };
  await expect(one.change({ tokens })).rejects.toThrow("The disk is full.");
  expect(one.saved.tokens).toEqual(tokens);
  memory.fault = undefined;
  await one.change({ wantedScope: "read" });
  expect(kept()).toEqual({ url, tokens, wantedScope: "read" });
});

test("what another process has stored is taken up, beside what is not written yet", async () => {
  const { memory, one, other } = await open();
  const tokens = { access_token: "new", token_type: "Bearer" };
  await other.change({ tokens });
  expect(one.saved.tokens).toBeUndefined();
  memory.fault = "The disk is full.";
  await expect(one.change({ wantedScope: "read" })).rejects.toThrow("The disk is full.");
  memory.fault = undefined;
  await one.reload();
  expect(one.saved).toMatchObject({ tokens, wantedScope: "read" });
});

test("a login that could not be read is read again", async () => {
  const { memory, openStore } = await open({ wantedScope: "read" });
  const store = openStore();
  memory.fault = "The database is locked.";
  await expect(store.load()).rejects.toThrow("The database is locked.");
  memory.fault = undefined;
  await store.load();
  expect(store.saved.wantedScope).toBe("read");
});

test("a key that could not be saved does not keep later requests from being signed", async () => {
  const { memory, one } = await open({ discovery });
  const provider = new LoginProvider(one, { memory, redirectUrls: [] }, {});
  memory.fault = "The disk is full.";
  await expect(provider.dpop()).rejects.toThrow("The disk is full.");
  memory.fault = undefined;
  expect(await provider.dpop()).toBeDefined();
});

test("what two processes change is kept of both, and each sees what the other has changed", async () => {
  const { one, other, kept } = await open();
  const client = (id: string) => ({ [`https://${id}.example/`]: { client_id: id, issuer: id } });
  await Promise.all([
    one.change(({ clients }) => ({ wantedScope: "read", clients: { ...clients, ...client("a") } })),
    other.change(({ clients }) => ({ discovery, clients: { ...clients, ...client("b") } })),
  ]);
  const clients = { ...client("a"), ...client("b") };
  expect(kept()).toEqual({ url, wantedScope: "read", discovery, clients });
  expect(other.saved).toEqual(kept());
});

test("of two processes that take one sign-in at once one gets it", async () => {
  const { one, other, kept } = await open({ pending });
  const taken = await Promise.all([one.takePending("s"), other.takePending("s"), one.takePending("other")]);
  expect(taken).toEqual([pending, undefined, undefined]);
  expect(kept()?.pending).toBeUndefined();
});

test("of two keys that are made at once the first counts for both", async () => {
  const { memory, one, other, kept } = await open({ discovery });
  const sessions = await Promise.all(
    [one, other].map((store) => new LoginProvider(store, { memory, redirectUrls: [] }, {}).dpop()),
  );
  expect(sessions[0]?.thumbprint).toBe(sessions[1]?.thumbprint);
  expect([one.saved.dpopKey, other.saved.dpopKey]).toEqual([kept()?.dpopKey, kept()?.dpopKey]);
});

test("who signs out in one process leaves nothing behind that another has stored, but the registration", async () => {
  const { one, other, kept } = await open();
  const clients = { "https://login.example/": { client_id: "meguri", issuer: "https://login.example/" } };
  await other.change({ clients, tokens: { access_token: "theirs", token_type: "Bearer" } });
  await one.forget();
  expect(kept()).toEqual({ url, clients });
  expect(one.saved).toEqual({ url, clients });
});

test("what is saved for another address is neither used nor kept", async () => {
  const { one, kept, memory } = await open();
  memory.kept.set("remote", { url: "https://other.example/", wantedScope: "theirs" });
  await one.change({ discovery });
  expect(kept()).toEqual({ url, discovery });
});
