import { expect, test } from "vitest";
import { bytesWithoutSecrets, endBeforeSecret, formsOf, withoutSecrets } from "./secret-forms";

const secret = 'Zm9v/bar+b z=="語"%q\\';
const clean = (text: string, ...secrets: string[]) => withoutSecrets(text, formsOf(secrets));
const inAddress = encodeURIComponent(secret);
const inHex = (text: string, of: RegExp) =>
  text.replace(of, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const upper = (text: string) => text.replace(/\\u.{4}/g, (digits) => digits.toUpperCase().replace("U", "u"));
const inJson = JSON.stringify(secret).slice(1, -1);

test.each(
  Object.entries({
    "as it is": secret,
    "in JSON": inJson,
    "in JSON whose writer escapes slashes": inJson.replaceAll("/", "\\/"),
    "in JSON whose writer escapes what a page could read as its own": inHex(inJson, /[/+=]/g),
    "in JSON of ASCII alone": inHex(inJson, /[^\x20-\x7e]/g),
    "with escapes for all": inHex(secret, /[^\w]/g),
    "with large digits": upper(inHex(secret, /[^\w]/g)),
    "as a part of an address": inAddress,
    "with small digits": inAddress.replace(/%../g, (byte) => byte.toLowerCase()),
    "as an address": encodeURI(secret),
    "as a field of a form": new URLSearchParams({ k: secret }).toString().slice(2),
  }),
)("a secret is found %s", (_, written) => {
  expect(clean(`<${written}> ${written}`, secret)).toBe("<[removed]> [removed]");
  expect(Buffer.byteLength(written)).toBeLessThanOrEqual(formsOf([secret]).longest);
});

test("one that another one has in it is removed with that, and a short value is none", () => {
  const key = "sk-0123456789";
  expect(clean(`Bearer ${key}, "${key}", none`, key, "none", `Bearer ${key}`)).toBe(
    '[removed], "[removed]", none',
  );
  expect(clean("Bearer%20sk-0123456789", `Bearer ${key}`)).toBe("[removed]");
});

test("bytes that hold none stay the same", () => {
  const bytes = Buffer.from("Nothing of it, Zm9v alone. 語");
  for (const secrets of [[], [secret], ["sk-0123456789", "Bearer sk-0123456789"]])
    expect(bytesWithoutSecrets(bytes, formsOf(secrets))).toBe(bytes);
});

test("what may begin a secret at the end is not counted, however far it has come", () => {
  const forms = formsOf([secret, "sk-0123456789"]);
  const endOf = (text: string) => endBeforeSecret(Buffer.from(text), forms);
  for (const written of [secret, inJson, inAddress, inHex(secret, /[^\w]/g), "sk-0123456789"])
    for (let count = 10; count < written.length; count++)
      expect(endOf(`語: ${written.slice(0, count)}`)).toBeLessThanOrEqual(Buffer.byteLength("語: "));
  expect(endOf("語: It broke off he")).toBe(Buffer.byteLength("語: It broke off he"));
  expect(endBeforeSecret(Buffer.from("sk-0"), formsOf([]))).toBe(4);
});

test("a text that is made to be slow is gone through once", () => {
  const slow = `${"\\".repeat(60)}%${"%25".repeat(60)}!`;
  const text = `${"\\".repeat(100_000)}${"%25".repeat(100_000)}`;
  expect(clean(text, slow)).toBe(text);
});
