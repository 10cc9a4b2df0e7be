import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromDraft, quote, splitCommand, toDraft } from "./entry-draft";

const empty = toDraft();

describe("an entry as a form", () => {
  it("goes into the form and comes back as it was, unknown fields included", () => {
    const entries = [
      {
        command: "npx",
        args: ["-y", "a b", ""],
        env: { A: "x=y", B: " spaced" },
        cwd: "/tmp/x y",
        note: { deep: 1 },
      },
      { type: "sse", url: "https://a.test/mcp", headers: { Authorization: "Bearer a:b" }, timeout: 30_000 },
      { command: "uvx", args: [], disabled: true, disabledTools: ["rm"], roles: ["admin" as const] },
      { command: "uvx", args: [], roles: ["member" as const, "admin" as const] },
    ];
    for (const entry of entries) expect(fromDraft(toDraft(entry), entry)).toEqual(entry);
  });

  it("gets the type of what it became when the person changes how it is reached", () => {
    const was = { type: "stdio", command: "npx", args: [] };
    expect(fromDraft({ ...toDraft(was), kind: "http", url: "http://127.0.0.1:1/mcp" }, was)).toEqual({
      type: "http",
      url: "http://127.0.0.1:1/mcp",
    });
  });

  it("is for the role that is chosen, and for everybody without a word", () => {
    const was = { command: "npx", args: [] };
    expect(fromDraft({ ...toDraft(was), roles: "admin" }, was)).toEqual({ ...was, roles: ["admin"] });
    const only = { ...was, roles: ["member" as const] };
    expect(fromDraft({ ...toDraft(only), roles: "all" }, only)).toEqual(was);
  });

  it("has a process for each person where that is chosen, and no such word where it is remote", () => {
    const was = { command: "npx", args: [], scope: "user" as const };
    expect(fromDraft(toDraft(was), was)).toEqual(was);
    expect(fromDraft({ ...toDraft(was), scope: "shared" }, was)).toEqual({ ...was, scope: "shared" });
    expect(fromDraft({ ...empty, command: "npx" })).not.toHaveProperty("scope");
    const remote = { ...toDraft(was), kind: "http" as const, url: "http://127.0.0.1:1/mcp" };
    expect(fromDraft(remote, was)).not.toHaveProperty("scope");
  });

  it("may run once for each instance as before, and has no such word where it is remote", () => {
    const was = { command: "npx", args: [], perInstance: true };
    expect(fromDraft({ ...toDraft(was), command: "npx a" }, was)).toEqual({ ...was, args: ["a"] });
    const remote = { ...toDraft(was), kind: "http" as const, url: "http://127.0.0.1:1/mcp" };
    expect(fromDraft(remote, was)).not.toHaveProperty("perInstance");
  });

  it("names the field and the line that is wrong", () => {
    expect(fromDraft(empty)).toEqual({ field: "command", reason: "needCommand" });
    expect(fromDraft({ ...empty, command: 'a "b' })).toEqual({ field: "command", reason: "openQuote" });
    expect(fromDraft({ ...empty, command: "a", env: "A=1\n\nB" })).toEqual({
      field: "env",
      reason: "badEnv",
      line: 3,
    });
    expect(fromDraft({ ...empty, command: "a", timeout: "soon" })).toEqual({
      field: "timeout",
      reason: "badTimeout",
    });
    const http = { ...empty, kind: "http" as const };
    expect(fromDraft({ ...http, url: "ftp://a" })).toEqual({ field: "url", reason: "needUrl" });
    expect(fromDraft({ ...http, url: "https://a", headers: "Authorization" })).toEqual({
      field: "headers",
      reason: "badHeader",
      line: 1,
    });
  });
});

describe("a command line", () => {
  it("is split as a shell splits it, and nothing in it is expanded", () => {
    expect(splitCommand(`npx -y  'a b' "c \\" d" e\\ f $HOME ~ * ""`)).toEqual([
      "npx",
      "-y",
      "a b",
      'c " d',
      "e f",
      "$HOME",
      "~",
      "*",
      "",
    ]);
    expect(splitCommand("  ")).toEqual([]);
    expect(splitCommand("it's")).toBeUndefined();
  });

  it("gives back any words that were quoted", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(splitCommand(words.map(quote).join(" "))).toEqual(words);
      }),
    );
  });
});
