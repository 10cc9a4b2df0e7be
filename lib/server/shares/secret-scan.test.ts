import { expect, test } from "vitest";
import { growth } from "@/lib/protocol/testing/growth";
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

test("a secret of our own is found from 8 characters on, and what is shorter is not sought", () => {
  expect(scanSecrets("it is abcdefg8 here", ["abcdefg8"])).toEqual([
    { kind: "stored secret", excerpt: "abcd…" },
  ]);
  expect(scanSecrets("it is abcdef7 here", ["abcdef7"])).toEqual([]);
});

const own = "s3cret-Value_42";
const base64 = (text: string) => Buffer.from(text).toString("base64");

test.each([
  ["in upper case", own.toUpperCase()],
  ["with soft hyphens", own.replaceAll("-", "\u00ad-\u00ad")],
  ["split by zero-width characters", [...own].join("\u200b")],
  ["split by spaces", [...own].join(" ")],
  ["broken by lines", own.replace("-", "-\r\n  ")],
  ["in base64", base64(`user:${own}`)],
  ["in base64 behind one letter", base64(`u${own} and more`)],
  ["in the middle of base64", `xyz${base64(`the token ${own} goes`)}`],
  ["in base64 for addresses", Buffer.from(`??>${own}`).toString("base64url")],
])("a secret of our own is taken out %s", (_, written) => {
  const text = `before ${written} after`;
  expect(scanSecrets(text, [own])).toHaveLength(1);
  expect(redactSecrets(text, [own])).toBe("before [stored secret removed] after");
});

const { openai, jwt } = fake;
test.each([
  ["in upper case", openai.toUpperCase()],
  ["with soft hyphens", openai.replace("a1a1", "a1\u00ada1")],
  ["split by zero-width characters", [...openai].join("\u200b")],
  ["broken by a line", openai.replace("a1a1a1a1", "a1a1\na1a1")],
  ["in four pieces", openai.replace(/(.{7})(?=.)/g, "$1 ")],
  ["in base64", base64(openai)],
  [
    "in base64 that is broken by a line",
    base64(`{"Authorization": "Bearer ${openai}"}`).replace(/^(.{24})/, "$1\n"),
  ],
  ["as a token in base64", base64(jwt)],
])("what has the shape of a secret is taken out %s", (_, written) => {
  const clean = redactSecrets(`before ${written} after`);
  expect(clean).toMatch(/^before \[(?:API key|JSON Web Token) removed\] after$/);
});

test("an invisible character before a secret does not hide it", () => {
  expect(redactSecrets(`x\u200b${openai}`)).toBe("x\u200b[API key removed]");
});

test("prose beside a prefix, tables of numbers and pictures are no secrets", () => {
  const text = `sk-learn is a library for 2024 and later. 12345678 90123456\nasia pacific ${base64("plain words, quite many of them")}`;
  expect(scanSecrets(text, [own])).toEqual([]);
});

/** What a pattern may read again and again. */
const hostile = [
  ...[
    "eyJ-",
    "eyJa.eyJa.",
    `eyJ${"a".repeat(8)}.`,
    "-eyJaaaaaaaaa",
    "sk-",
    "sk--",
    "-sk",
    "ghp_a_",
    "gho_aaaaaaaaa",
  ],
  ...["github_pat_", "AKIA", "ASIA0", "AIza-", "xoxb-", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----"],
  ...[
    "-----BEGIN PRIVATE KEY",
    "-----END ",
    "PRIVATE KEY",
    "a://",
    "a://:",
    "a.a.",
    "a-a-a-a-://",
    "://b:",
    "a://b:c",
  ],
  ...["a1 ", "\u200b", "a\u00ad", "a \n", "=1a ", "+/", "ZXlKLWV5Si", " ", "\n1"],
];

test.each(hostile)("four times as much of %j takes no more than its share", (piece) => {
  const scan = (size: number) => scanSecrets(piece.repeat(Math.ceil(size / piece.length)), [own]);
  expect(growth(30_000, scan)).toBeLessThan(8);
});
