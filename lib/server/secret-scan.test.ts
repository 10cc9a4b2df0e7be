import { expect, test } from "vitest";
import { redactSecrets, scanSecrets } from "./secret-scan";

const fake = {
  openai: `sk-${"a1".repeat(12)}`,
  github: `ghp_${"b2".repeat(15)}`,
  aws: `AKIA${"C".repeat(16)}`,
  jwt: `eyJ${"d".repeat(10)}.eyJ${"e".repeat(10)}.${"f".repeat(12)}`,
  pem: "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
  url: "postgres://user:hunter2@db.example/x",
  redis: "redis://:hunter2@db.example/0",
};

test.each(Object.entries(fake))("finds a %s secret wherever it stands and takes it out", (_, secret) => {
  const value = { messages: [{ deep: { [`key ${secret}`]: 1, text: `before ${secret} after` } }] };
  expect(scanSecrets(value).length).toBe(2);
  expect(JSON.stringify(scanSecrets(value))).not.toContain(secret);
  const clean = redactSecrets(value);
  expect(JSON.stringify(clean)).not.toContain(JSON.stringify(secret).slice(1, -1));
  expect(scanSecrets(clean)).toEqual([]);
});

test("a secret of our own is found whatever it looks like", () => {
  expect(scanSecrets("the word is correcthorse", ["correcthorse"])).toHaveLength(1);
});

test("plain text, links and ids pass untouched", () => {
  const value = {
    text: "See https://example.com/a:b@c, http://:8080 and task-1234567890123456789",
    n: 1,
    nothing: null,
  };
  expect(scanSecrets(value)).toEqual([]);
  expect(redactSecrets(value)).toEqual(value);
});
