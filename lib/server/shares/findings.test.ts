import { expect, test } from "vitest";
import { secretShapes } from "@/docs/corpus/objects";
import { redactedMark } from "@/lib/protocol/redacted-text";
import type { RedactedKind } from "@/lib/protocol/share-policy";
import { growth } from "@/lib/protocol/testing/growth";
import { findIn, redactFound } from "./findings";

const find = (value: unknown, known: string[] = []) => findIn(value, known).list;
const redact = <Value>(value: Value, known: string[] = []) =>
  redactFound(value, findIn(value, known, { redact: true }).redacted, known);

test.each(Object.entries(secretShapes))(
  "finds a %s secret wherever it stands and takes it out",
  (_, secret) => {
    const value = { messages: [{ deep: { [`key ${secret}`]: 1, text: `before ${secret} after` } }] };
    expect(find(value)).toMatchObject([{ count: 2 }]);
    expect(JSON.stringify(find(value))).not.toContain(secret);
    const clean = redact(value);
    expect(JSON.stringify(clean)).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(find(clean)).toEqual([]);
  },
);

test("a secret of our own is found whatever it looks like", () => {
  expect(find("the word is correcthorse", ["correcthorse"])).toHaveLength(1);
});

test("plain text, links and ids pass untouched", () => {
  const value = {
    text: "See https://example.com/a:b@c, http://:8080 and task-1234567890123456789",
    n: 1,
    nothing: null,
  };
  expect(find(value)).toEqual([]);
  expect(redact(value)).toEqual(value);
});

test("a secret of our own is found from 8 characters on, and what is shorter is not sought", () => {
  expect(find("it is abcdefg8 here", ["abcdefg8"])).toEqual([
    expect.objectContaining({ kind: "stored secret", excerpt: "abcd…" }),
  ]);
  expect(find("it is abcdef7 here", ["abcdef7"])).toEqual([]);
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
  expect(find(text, [own])).toHaveLength(1);
  expect(redact(text, [own])).toMatch(/^before ⟦stored secret █+⟧ after$/);
});

const { openai, jwt } = secretShapes;
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
  const clean = redact(`before ${written} after`);
  expect(clean).toMatch(/^before ⟦(?:API key|JSON Web Token) █+⟧ after$/);
});

test("an invisible character before a secret does not hide it", () => {
  expect(redact(`x\u200b${openai}`)).toBe(`x\u200b${redactedMark("API key", openai)}`);
});

test("prose beside a prefix, tables of numbers and pictures are no secrets", () => {
  const text = `sk-learn is a library for 2024 and later. 12345678 90123456\nasia pacific ${base64("plain words, quite many of them")}`;
  expect(find(text, [own])).toEqual([]);
});

test.each([
  ["e-mail address", "ask aiko@acme.dev.", "aiko@acme.dev"],
  ["e-mail address", "連絡はaiko.k+x@mail.acme.co.jpまで", "aiko.k+x@mail.acme.co.jp"],
  ["internal host", "curl http://jenkins:8080/job", "jenkins:8080"],
  ["internal host", "see https://wiki.acme.corp/x", "wiki.acme.corp"],
  ["internal host", "ping printer.local, then go", "printer.local"],
  ["internal host", "psql -h db.internal:5432", "db.internal:5432"],
  ["internal host", "redis on cache:6379", "cache:6379"],
  ["private address", "at 192.168.1.20:8080 it", "192.168.1.20:8080"],
  ["private address", "ssh 10.20.30.40", "10.20.30.40"],
  ["private address", "ping fd12:3456:789a:1::1 now", "fd12:3456:789a:1::1"],
  ["local path", "in /home/aiko/notes.md.", "/home/aiko/notes.md"],
  ["local path", "open file:///Users/aiko/a b", "file:///Users/aiko/a"],
  ["local path", 'at C:\\Users\\aiko\\x.txt"', "C:\\Users\\aiko\\x.txt"],
  ["local path", '"C:\\\\Users\\\\aiko"', "C:\\\\Users\\\\aiko"],
  ["local path", "on \\\\nas\\share\\plan", "\\\\nas\\share\\plan"],
  ["local path", "read (/srv/billing/prod.env)", "/srv/billing/prod.env"],
])("finds %s in %j", (kind, text, excerpt) => {
  expect(find(text)).toMatchObject([{ kind, excerpt, decision: null }]);
  expect(redact(text)).toBe(text.replace(excerpt, redactedMark(kind as RedactedKind, excerpt)));
});

test.each([
  "jane@example.com, a@b.example, git@github.com:a/b, react@18.2.0-rc.beta, @param x.y, a@b",
  "http://localhost:3000/a, http://127.0.0.1:80, https://example.com/home/x, http://host:80, file:///",
  "this.local, config.local.ts, .env.local, x.internal(), foo.local = 1, a.b, std::string, line:8080, 12:30",
  "v10.2.1.0, 10.0.19041.1, 172.32.0.1, 8.8.8.8, 1.2.3, face:b00c, de:ad:be:ef, 2026-11-26T20:57:29.123Z",
  "/usr/bin/env, ~/notes.md, ./a, [folder]/srv/x, and/or, /api/home/x, C:\\n, Q:\\nWhat, \\d+\\w",
  "resource://server/x, ui://demo/y, attachment:abc",
])("nothing is found in %j", (text) => {
  expect(find(text)).toEqual([]);
});

test("a text is found once, with where it stands first, and decided on by its id", () => {
  const value = {
    title: "Ask aiko@acme.dev",
    messages: [
      { role: "user", parts: [{ type: "text", text: `aiko@acme.dev and ${openai}` }] },
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "at 10.1.2.3" },
          { type: "tool_call", id: "c1", name: "pay__get", args: { to: "db.internal" } },
        ],
      },
      { role: "tool", results: [{ id: "c1", content: [{ type: "text", text: "/home/aiko/x" }] }] },
      { role: "user", parts: [{ type: "file", name: "/home/aiko/y.pdf" }] },
    ],
  };
  const { list, undecided } = findIn(value);
  expect(undecided).toBe(6);
  expect(list.map(({ kind, where, count }) => [kind, where.in, where.tool, count])).toEqual([
    ["e-mail address", "title", undefined, 2],
    ["API key", "question", undefined, 1],
    ["private address", "reasoning", undefined, 1],
    ["internal host", "arguments", "pay__get", 1],
    ["local path", "result", "pay__get", 1],
    ["local path", "file", undefined, 1],
  ]);
  const ids = list.map(({ id }) => id);
  const some = findIn(value, [], { redact: ids.slice(0, 1), accept: ids.slice(1, 5) });
  expect(some.undecided).toBe(1);
  expect(some.list.map(({ decision }) => decision)).toEqual([
    ...["redact", "accept", "accept", "accept", "accept"],
    null,
  ]);
  const clean = JSON.stringify(redactFound(value, some.redacted));
  expect(clean).not.toContain("aiko@acme.dev");
  expect(clean).toContain("/home/aiko/x");
  expect(findIn(value, [], { redact: true, accept: ids.slice(1, 2) }).redacted.size).toBe(5);
  expect(findIn(value, [], { redact: ids.slice(1, 2), accept: true }).redacted.size).toBe(1);
});

test("a redacted text goes where nothing makes it look private as well", () => {
  const host = redactedMark("internal host", "db.internal");
  const value = ["from db.internal", "the_db.internal_dump", "DB.INTERNAL("];
  expect(redact(value)).toEqual([`from ${host}`, `the_${host}_dump`, `${host}(`]);
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
  ...[
    "a.",
    "a@",
    "a@a.",
    "@",
    "a-",
    "a.local.",
    ".local",
    "http://",
    "http://a",
    "http://a@",
    "db:",
    "db:5432",
  ],
  ...[
    "10.",
    "10.0.0.",
    "fd",
    "fd00:",
    "fd00::",
    ":",
    "/home/",
    "/home/a/",
    "/home/a",
    "C:\\",
    "C:\\ab\\",
    "\\\\a",
  ],
  ...["a@b.", "a@b.co", "C:", "file:///home/", "\\\\ab\\a"],
];

test.each(hostile)("four times as much of %j takes no more than its share", (piece) => {
  const scan = (size: number) => find(piece.repeat(Math.ceil(size / piece.length)), [own]);
  expect(growth(30_000, scan)).toBeLessThan(8);
});
