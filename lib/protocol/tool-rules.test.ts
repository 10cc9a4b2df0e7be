import { expect, test } from "vitest";
import type { McpToolAnnotations, McpToolItem } from "./mcp";
import type { ToolRule } from "./settings";
import { exactPattern, judgeTool, meets, ruleFor as ruleForTool, serverPattern } from "./tool-rules";

const rule = (pattern: string, effect: "allow" | "ask" | "deny") => ({ pattern, effect });
const ruleFor = (rules: readonly ToolRule[], server: string, name: string, annotations = {}) =>
  ruleForTool(rules, server, { name, annotations });

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

const hints = (annotations: McpToolAnnotations) => ({ annotations });

test("a condition follows the defaults of the specification for what a tool does not say", () => {
  const destroys = (annotations: McpToolAnnotations) => meets(hints(annotations), "destructive");
  expect([{}, { destructiveHint: true }, { readOnlyHint: false }].map(destroys)).toEqual([true, true, true]);
  const adds = [
    { destructiveHint: false },
    { readOnlyHint: true },
    { readOnlyHint: true, destructiveHint: true },
  ];
  expect(adds.map(destroys)).toEqual([false, false, false]);
  const reaches = (annotations: McpToolAnnotations) => meets(hints(annotations), "openWorld");
  // A search of the web only reads, and its world is open.
  expect([{}, { openWorldHint: true }, { readOnlyHint: true }].map(reaches)).toEqual([true, true, true]);
  expect(reaches({ openWorldHint: false })).toBe(false);
});

test("a rule with a condition holds for the tools that meet it, and wins over one that is as exact", () => {
  const asks = { ...rule("mcp:files:*", "ask"), when: "destructive" as const };
  const rules = [rule("mcp:files:*", "allow"), asks];
  const adds = { destructiveHint: false };
  expect(ruleFor(rules, "files", "wipe")).toBe(asks);
  expect(ruleFor(rules, "files", "append", adds)?.effect).toBe("allow");
  expect(ruleFor(rules.toReversed(), "files", "wipe")).toBe(asks);
  // A more exact name wins, with or without a condition.
  expect(ruleFor([asks, rule("mcp:files:w*", "allow")], "files", "wipe")?.effect).toBe("allow");
  expect(ruleFor([asks, rule("mcp:files:wipe", "allow")], "files", "wipe")?.effect).toBe("allow");
  const own = { ...asks, pattern: "mcp:files:wipe" };
  expect(ruleFor([rule("mcp:files:wipe", "allow"), own], "files", "wipe")).toBe(own);
});

test("deny under a condition wins over everything where it is met, and is nothing elsewhere", () => {
  const never = { ...rule("mcp:*:*", "deny"), when: "openWorld" as const };
  const rules = [rule("mcp:web:fetch", "allow"), never];
  expect(ruleFor(rules, "web", "fetch")).toBe(never);
  expect(ruleFor(rules, "web", "fetch", { openWorldHint: false })?.effect).toBe("allow");
});

test("what covers a whole server covers no definition that was not accepted, nothing blocked and nothing denied", () => {
  const whole = rule(serverPattern("files"), "allow");
  const tool: Pick<McpToolItem, "name" | "definition" | "blocked" | "annotations"> = {
    ...{ name: "wipe", definition: "pinned", blocked: false, annotations: {} },
  };
  const effect = (more: Partial<typeof tool>, others: ToolRule[] = []) =>
    judgeTool([...others, whole], "files", { ...tool, ...more }, "ask").effect;
  expect(effect({})).toBe("allow");
  expect([effect({ definition: "changed" }), effect({ definition: "added" })]).toEqual(["ask", "ask"]);
  expect(effect({ blocked: true })).toBe("deny");
  expect(effect({}, [rule("mcp:*", "deny")])).toBe("deny");
  expect(effect({}, [rule("mcp:files:wipe", "ask")])).toBe("ask");
  expect(judgeTool([whole], "files2", tool, "ask").effect).toBe("ask");
});
