import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type AgentFiles, checkAgent } from "./check-agent";
import { type ParsedAgent, parseAgent } from "./parse-agent";

const known = (files: AgentFiles) => ({
  files,
  custom: new Set(["counter"]),
  faultOfModel: (model: string) => (model.startsWith("demo/") ? undefined : `there is no ${model}.`),
});

/** What is wrong with these files, the first of which is looked at. */
function problemOf(...texts: string[]): string | undefined {
  try {
    const parsed = texts.map((text, at) => parseAgent(`file${at}.yaml`, text.replace(/^\n/, "")));
    const files = new Map<string, ParsedAgent>(parsed.map((one) => [one.definition.name, one]));
    checkAgent(parsed[0] as ParsedAgent, known(files));
    return undefined;
  } catch (cause) {
    return (cause as Error).message;
  }
}

describe("the shipped agents", () => {
  const files = readdirSync("agents").map((file) => parseAgent(file, readFileSync(`agents/${file}`, "utf8")));
  it.each(files.map((file) => [file.file, file] as const))("%s has nothing wrong with it", (_, file) => {
    expect(() => checkAgent(file, known(new Map()))).not.toThrow();
    expect(file.definition.title).toMatchObject({ en: expect.any(String), ja: expect.any(String) });
  });
});

describe("a file that cannot be used is told with its line", () => {
  it("no YAML", () => {
    expect(problemOf("name: a\nagent: [")).toMatch(/^agents\/file0\.yaml:2: /);
  });

  it("an unknown key, and a wrong value", () => {
    expect(
      problemOf(`
name: a
agent:
  type: llm
  name: writer
  instruction: Write.
  temperature: 3
`),
    ).toBe("agents/file0.yaml:6: agent.temperature: there is no such key.");
    expect(problemOf("name: a b\nagent: {type: custom, name: counter}")).toMatch(
      /^agents\/file0\.yaml:1: name: must begin with a letter/,
    );
  });

  it("in plain words", () => {
    const part = (more: string) => problemOf(`name: a\nagent:\n${more}`);
    expect(part("  type: group\n  name: b")).toBe(
      "agents/file0.yaml:3: agent.type: must be llm, sequential, loop, parallel, use or custom.",
    );
    expect(part("\ttype: llm")).toBe("agents/file0.yaml:3: Indent with spaces: a tab cannot indent here.");
    expect(part("  type: llm\n  name: b\n  instruction: Go.\n  tools: some")).toMatch(
      /:6: agent\.tools: must be all, none, or a list/,
    );
    for (const open of ["'Go.", '"Go.', "[Go", "{a: b"])
      expect(part(`  type: llm\n  name: b\n  instruction: ${open}\n`)).toMatch(/: Something is missing here/);
  });

  it("a key twice", () => {
    expect(problemOf("name: a\nname: b\nagent: {type: custom, name: counter}")).toMatch(
      /^agents\/file0\.yaml:2: /,
    );
  });

  it("a duplicate name", () => {
    expect(
      problemOf(`
name: a
agent:
  type: sequential
  agents:
    - {type: llm, name: one, instruction: Go.}
    - {type: llm, name: one, instruction: Go.}
`),
    ).toBe("agents/file0.yaml:6: two agents here are called one; each needs a name of its own.");
  });

  it("a state variable that nothing sets, also where a parallel branch would", () => {
    expect(
      problemOf(`
name: a
agent:
  type: sequential
  agents:
    - type: parallel
      name: both
      agents:
        - {type: llm, name: left, instruction: Go., outputKey: found}
        - type: llm
          name: right
          instruction: Use {found}.
`),
    ).toMatch(/^agents\/file0\.yaml:11: right needs \{found\}, and no agent before it puts it out/);
  });

  it("a loop without exit, and an exit without a loop", () => {
    const loop = (more: string) => `
name: a
agent:
  type: loop
  name: round
  agents:
    - {type: llm, name: one, instruction: Go.${more}}
`;
    expect(problemOf(loop(""))).toMatch(/^agents\/file0\.yaml:3: the loop round has no exit/);
    expect(problemOf(loop(", exitLoop: true"))).toBeUndefined();
    expect(problemOf("name: a\nagent: {type: llm, name: one, instruction: Go., exitLoop: true}")).toMatch(
      /:2: one can leave a loop, and there is none around it/,
    );
  });

  it("a result that nothing puts out", () => {
    expect(problemOf("name: a\nresult: text\nagent: {type: llm, name: one, instruction: Go.}")).toBe(
      "agents/file0.yaml:2: no agent puts out {text}, which is to be the result.",
    );
  });

  it("a cycle over files, and an agent that is not there", () => {
    const uses = (name: string, other: string) =>
      `name: ${name}\nagent:\n  type: sequential\n  agents:\n    - {type: use, agent: ${other}}\n`;
    expect(problemOf(uses("a", "b"), uses("b", "a"))).toBe("agents/file1.yaml:5: a → b → a would never end.");
    expect(problemOf(uses("a", "c"))).toBe("agents/file0.yaml:5: there is no agent c to use.");
    expect(problemOf("name: a\nagent: {type: custom, name: nobody}")).toMatch(
      /there is no custom agent nobody/,
    );
  });

  it("aliases, which could make a small file endless", () => {
    expect(problemOf("name: a\nx: &x [1]\nagent: {type: llm, name: one, instruction: *x}")).toMatch(
      /^agents\/file0\.yaml/,
    );
  });
});

describe("a file that would cost too much", () => {
  it.each([
    ["nested lists", "- ".repeat(90_000)],
    ["nested brackets", "[".repeat(190_000)],
    ["nested complex keys", "? ".repeat(90_000)],
    ["many keys in one map", Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join("\n")],
    ["many keys in one line", `{${Array.from({ length: 20_000 }, (_, at) => `k${at}`).join(",")}}`],
    ["many documents", "---\n".repeat(40_000)],
    ["many quotes", '"'.repeat(190_000)],
    ["aliases of aliases", `a: &a [1]\n${Array.from({ length: 9 }, () => `b: [*a, *a]`).join("\n")}`],
    ["a megabyte", "a".repeat(1_000_000)],
  ])("is refused: %s", (_, text) => {
    expect(problemOf(text)).toMatch(/^agents\/file0\.yaml:\d+: /);
  });

  it("is told to be nested too deep long before it takes seconds", () => {
    for (const deep of ["- ".repeat(200), "? ".repeat(200), "[".repeat(200)])
      expect(problemOf(`name: a\nagent:\n  ${deep}`)).toMatch(/:3: This is nested too deep/);
  });

  it("and one whose parts use others again and again", () => {
    const group = (name: string, used: string) =>
      `name: ${name}\nagent:\n  type: sequential\n  agents:\n${Array.from(
        { length: 20 },
        (_, at) => `    - {type: sequential, name: s${at}, agents: [{type: use, agent: ${used}}]}\n`,
      ).join("")}`;
    const leaf = "name: d\nagent: {type: llm, name: one, instruction: Go.}";
    expect(problemOf(group("a", "b"), group("b", "c"), group("c", "d"), leaf)).toMatch(
      /with what it uses it has more than 500 parts/,
    );
  });

  it("and one whose parts say a megabyte together", () => {
    const group = (name: string, count: number, part: (at: number) => string) =>
      `name: ${name}\nagent:\n  type: sequential\n  agents:\n${Array.from(
        { length: count },
        (_, at) => `    - {type: sequential, name: s${at}, agents: [${part(at)}]}\n`,
      ).join("")}`;
    const leaf = group("b", 9, () => `{type: llm, name: one, instruction: "${"x".repeat(20_000)}"}`);
    const uses = (count: number) => group("a", count, () => "{type: use, agent: b}");
    expect(problemOf(uses(5), leaf)).toBeUndefined();
    expect(problemOf(uses(6), leaf)).toMatch(
      /with what it uses its instructions have more than 1000000 char/,
    );
  });
});

describe("what stands in it beside its parts", () => {
  const llm = (more: string) => `
name: a
agent:
  type: llm
  name: one
  instruction: Go.
${more}
`;
  it("an unknown model and an unknown effort are told at their lines", () => {
    expect(problemOf(llm("  model: demo/demo\n  effort: high"))).toBeUndefined();
    expect(problemOf(llm("  model: nobody/x"))).toBe(
      "agents/file0.yaml:6: one cannot ask its model: there is no nobody/x.",
    );
    expect(problemOf(llm("  model: gpt"))).toMatch(/^agents\/file0\.yaml:6: agent\.model: must be/);
    expect(problemOf(llm("  outputKey: __proto__"))).toMatch(
      /:6: agent\.outputKey: must be a name of letters/,
    );
    expect(problemOf(llm("  effort: extreme"))).toMatch(/^agents\/file0\.yaml:6: agent\.effort: /);
  });

  it("a key of the state counts as put out, and holds text", () => {
    const reads = (state: string) =>
      `name: a\n${state}agent: {type: llm, name: one, instruction: "About {topic}."}`;
    expect(problemOf(reads("state: {topic: tea}\n"))).toBeUndefined();
    expect(problemOf(reads("state: {topic: }\n"))).toBeUndefined();
    expect(problemOf(reads("state: {topic: 3}\n"))).toMatch(/:2: state\.topic: must be text/);
    expect(problemOf(reads(""))).toMatch(/one needs \{topic\}/);
  });
});
