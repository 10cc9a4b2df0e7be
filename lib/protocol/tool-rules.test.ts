import { expect, test } from "vitest";
import { exactPattern, ruleFor } from "./tool-rules";

const rule = (pattern: string, effect: "allow" | "ask" | "deny") => ({ pattern, effect });

test("the rule with the most literal characters decides", () => {
  const rules = [rule("mcp:files:*", "ask"), rule("mcp:files:read_file", "allow")];
  expect(ruleFor(rules, "files", "read_file")?.effect).toBe("allow");
  expect(ruleFor(rules, "files", "write_file")?.effect).toBe("ask");
  expect(ruleFor(rules, "other", "read_file")).toBeUndefined();
});

test("the rule for one tool alone decides before a wider one of the same length", () => {
  const wider = rule("mcp:files:read_file*", "ask");
  expect(ruleFor([wider, rule("mcp:files:read_file", "allow")], "files", "read_file")?.effect).toBe("allow");
  expect(ruleFor([wider], "files", "read_file")?.effect).toBe("ask");
});

test("deny wins over everything", () => {
  const rules = [rule("mcp:files:read_file", "allow"), rule("mcp:*", "deny")];
  expect(ruleFor(rules, "files", "read_file")?.effect).toBe("deny");
});

test("only the star is special in a pattern", () => {
  expect(ruleFor([rule("mcp:a.b:c+", "allow")], "aXb", "cc")).toBeUndefined();
  expect(ruleFor([rule("mcp:a.b:c+", "allow")], "a.b", "c+")?.effect).toBe("allow");
});

test("a tool whose own name looks like a pattern is allowed alone", () => {
  const rules = [rule(exactPattern("star", "*"), "allow")];
  expect(ruleFor(rules, "star", "*")?.effect).toBe("allow");
  expect(ruleFor(rules, "star", "wipe")).toBeUndefined();
});

test("names with colons and backslashes cannot pass for another tool", () => {
  expect(ruleFor([rule(exactPattern("a:b", "c"), "allow")], "a", "b:c")).toBeUndefined();
  expect(ruleFor([rule(exactPattern("a\\", "b"), "allow")], "a\\", "b")?.effect).toBe("allow");
  expect(ruleFor([rule("mcp:a:b", "allow")], "a:b", "")).toBeUndefined();
});

test("many stars against a long name take no time to speak of", () => {
  const started = performance.now();
  expect(ruleFor([rule(`mcp:${"*a".repeat(20)}b`, "allow")], "s", "a".repeat(2000))).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(5000);
});
