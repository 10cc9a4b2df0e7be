import { expect, test } from "vitest";
import { addressOf, toTrusted } from "./peer";

const address = (trusted: string[], peer: string | null, passedOn?: string) => {
  const list = toTrusted(trusted);
  if (!list) throw new Error("not a list");
  return addressOf(
    new Headers({
      ...(peer !== null && { "x-meguri-peer": peer }),
      ...(passedOn && { "x-forwarded-for": passedOn }),
    }),
    list,
  );
};

test("what a connection that is no proxy of ours passes on is not believed", () => {
  expect(address(["127.0.0.1"], "203.0.113.7", "10.0.0.1")).toBe("203.0.113.7");
  expect(address([], "::ffff:127.0.0.1", "10.0.0.1")).toBe("127.0.0.1");
});

test("of what a proxy of ours passes on the last that is none counts, whatever a client has written before it", () => {
  expect(address(["127.0.0.1"], "127.0.0.1", "8.8.8.8, 203.0.113.7")).toBe("203.0.113.7");
  expect(address(["10.0.0.0/8", "::1"], "::1", "8.8.8.8, 203.0.113.7, 10.2.3.4")).toBe("203.0.113.7");
  expect(address(["127.0.0.1"], "127.0.0.1", "8.8.8.8, <script>")).toBe("127.0.0.1");
  expect(address(["127.0.0.1"], "127.0.0.1")).toBe("127.0.0.1");
  expect(address(["fd00::/8"], "fd00::2", "2001:db8::1")).toBe("2001:db8::1");
});

test("without a connection there is no address", () => {
  expect(address(["127.0.0.1"], null, "203.0.113.7")).toBeNull();
});

test("what is no address and no network is refused", () => {
  for (const entry of ["proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "::/129", ""])
    expect(toTrusted([entry]), entry).toBeNull();
});
