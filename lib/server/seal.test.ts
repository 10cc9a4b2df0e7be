import { expect, test } from "vitest";
import { seal, unseal } from "./seal";

const secret = "a secret of at least 32 characters";

test("what was sealed comes back under the same secret and purpose only", () => {
  const sealed = seal(secret, "keys", "鍵 sk-123");
  expect(sealed).not.toContain("sk-123");
  expect(unseal(secret, "keys", sealed)).toBe("鍵 sk-123");
  expect(unseal(`${secret}!`, "keys", sealed)).toBeUndefined();
  expect(unseal(secret, "tokens", sealed)).toBeUndefined();
});

test("the same text is never sealed the same way, and a changed seal does not open", () => {
  const sealed = seal(secret, "keys", "text");
  expect(seal(secret, "keys", "text")).not.toBe(sealed);
  const last = sealed.at(-1) === "A" ? "Q" : "A";
  expect(unseal(secret, "keys", sealed.slice(0, -1) + last)).toBeUndefined();
  expect(unseal(secret, "keys", "no seal at all")).toBeUndefined();
});

test("a seal whose tag was cut or lengthened does not open", () => {
  const [version, iv, tag = "", body] = seal(secret, "keys", "text").split(".");
  const bytes = Buffer.from(tag, "base64url");
  expect(bytes).toHaveLength(16);
  const withTag = (other: Buffer) => [version, iv, other.toString("base64url"), body].join(".");
  expect(unseal(secret, "keys", withTag(bytes))).toBe("text");
  for (const length of [4, 8, 12, 13, 14, 15])
    expect(unseal(secret, "keys", withTag(bytes.subarray(0, length)))).toBeUndefined();
  expect(unseal(secret, "keys", withTag(Buffer.concat([bytes, Buffer.alloc(1)])))).toBeUndefined();
});
