import { expect, test } from "vitest";
import { ruleFor } from "./approval-policy";

const rule = (pattern: string, effect: "allow" | "ask" | "deny") => ({ pattern, effect });

test("the rule with the most literal characters decides", () => {
  const rules = [rule("mcp:files:*", "ask"), rule("mcp:files:read_file", "allow")];
  expect(ruleFor(rules, "files", "read_file")?.effect).toBe("allow");
  expect(ruleFor(rules, "files", "write_file")?.effect).toBe("ask");
  expect(ruleFor(rules, "other", "read_file")).toBeUndefined();
});

test("deny wins over everything", () => {
  const rules = [rule("mcp:files:read_file", "allow"), rule("mcp:*", "deny")];
  expect(ruleFor(rules, "files", "read_file")?.effect).toBe("deny");
});

test("only the star is special in a pattern", () => {
  expect(ruleFor([rule("mcp:a.b:c+", "allow")], "aXb", "cc")).toBeUndefined();
  expect(ruleFor([rule("mcp:a.b:c+", "allow")], "a.b", "c+")?.effect).toBe("allow");
});
