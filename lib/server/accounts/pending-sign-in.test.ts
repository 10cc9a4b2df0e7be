import { expect, test } from "vitest";
import { LocalBus } from "@/lib/store/bus";
import { PendingSignIns } from "./pending-sign-in";

const begun = { state: "s", nonce: "n", verifier: "v", next: "/", invitation: undefined };
const sent = (cookie: string) => new Headers({ cookie: cookie.split(";")[0] ?? "" });

const open = (appSecret = "a", now?: () => number, PUBLIC_URL?: string, bus = new LocalBus()) =>
  new PendingSignIns({ env: { PORT: 1, PUBLIC_URL }, secrets: { appSecret }, bus }, now);

test("a sign-in under way lasts ten minutes, is taken once, and is this server's", () => {
  let now = 0;
  const signIns = open("a", () => now);
  const cookie = signIns.begin(begun);
  expect(signIns.take(sent(cookie), "other")).toBeUndefined();
  expect(open("b").take(sent(cookie), "s")).toBeUndefined();
  now = 599_999;
  expect(signIns.take(sent(cookie), "s")).toEqual({ ...begun, invitation: undefined });
  expect(signIns.take(sent(cookie), "s")).toBeUndefined();
  const late = signIns.begin({ ...begun, state: "late" });
  now += 600_000;
  expect(signIns.take(sent(late), "late")).toBeUndefined();
});

test("with an https address its cookie goes over TLS alone", () => {
  expect(open("a", Date.now, "https://meguri.example").begin(begun)).toMatch(/; Secure$/);
  expect(open().begin(begun)).not.toContain("Secure");
});

test("what was taken at one process is not taken at another", () => {
  const bus = new LocalBus();
  const [here, there] = [open("a", () => 0, undefined, bus), open("a", () => 0, undefined, bus)];
  const cookie = here.begin(begun);
  expect(there.take(sent(cookie), "s")).toEqual({ ...begun, invitation: undefined });
  expect(here.take(sent(cookie), "s")).toBeUndefined();
});
