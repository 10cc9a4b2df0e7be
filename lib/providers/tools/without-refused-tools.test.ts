import { afterEach, expect, test } from "vitest";
import { openProviders } from "@/lib/providers/providers";
import { type Adapter, adapters } from "@/lib/providers/testing/adapters";
import { fail, type Step, say } from "@/lib/providers/testing/steps";
import { collect, kinds, textOf, tool, turn, user } from "@/lib/providers/testing/turn";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import type { WireServer } from "@/lib/providers/testing/wire-server";

let server: WireServer | undefined;
afterEach(() => server?.close());

const names = ["a__one", "a__two", "b__three", "b__four"];
const tools = names.map((name) => tool(name, { type: "object", properties: { [name]: {} } }));

type Wire = "google" | "openai" | "anthropic";

/** Refuses the request as long as it has a tool that the server does not take. */
async function open(wire: Wire, words: (index: number, name: string) => Step, bad: readonly string[]) {
  const adapter: Adapter = adapters[wire];
  const script = (request: WireRequest): Step[] => {
    const index = request.tools.findIndex((name) => bad.includes(name));
    return index < 0 ? [say("Hi.")] : [words(index, request.tools[index] ?? "")];
  };
  server = await adapter.start(script);
  const provider = openProviders(adapter.config(server.url)).provider(`${wire}/${adapter.model}`);
  return { provider, server };
}

const refusals: [wire: Wire, words: (index: number, name: string) => Step][] = [
  [
    "google",
    (index) =>
      fail(
        400,
        `* GenerateContentRequest.tools[0].function_declarations[${index}].parameters.required[0]: property is not defined`,
      ),
  ],
  [
    "openai",
    (index) =>
      fail(400, "Invalid schema: array schema missing items.", {
        body: {
          error: {
            message: "Invalid schema: array schema missing items.",
            param: `tools[${index}].function.parameters`,
            code: "invalid_function_parameters",
          },
        },
      }),
  ],
  ["openai", (_, name) => fail(400, `Invalid schema for function '${name}': True is not of type 'array'.`)],
  [
    "anthropic",
    (index) =>
      fail(400, `tools.${index}.custom.input_schema: JSON schema is invalid. It must match 2020-12.`),
  ],
];

test.each(refusals)("%s answers without a tool that it refuses", async (wire, words) => {
  const { provider, server } = await open(wire, words, ["a__two", "b__four"]);
  const first = await collect(provider, turn([user("Hi")], { tools }));
  expect(first.error).toBeUndefined();
  expect(kinds(first.chunks)).toBe("notice text usage");
  expect(textOf(first.chunks)).toBe("Hi.");
  expect(first.chunks[0]).toMatchObject({
    kind: "server",
    message: "The model's server refuses the definitions of some tools, which are left out: a__two, b__four.",
  });
  // From then on it is not even asked; the same list, and one that was made anew of the same tools.
  const again = await collect(provider, turn([user("Hi")], { tools }));
  const anew = await collect(provider, turn([user("Hi")], { tools: tools.map((spec) => ({ ...spec })) }));
  expect([kinds(again.chunks), kinds(anew.chunks)]).toEqual(["text usage", "text usage"]);
  expect(server.requests.map((request) => request.tools.length)).toEqual([4, 3, 2, 2, 2]);
});

test("several that are named at once are left out at once", async () => {
  const both = () =>
    fail(
      400,
      "tools[0].function_declarations[0].parameters: x. tools[0].function_declarations[2].parameters: y.",
    );
  const { provider, server } = await open("google", both, ["a__one", "b__three"]);
  const { chunks } = await collect(provider, turn([user("Hi")], { tools }));
  expect(kinds(chunks)).toBe("notice text usage");
  expect(server.requests.map((request) => request.tools)).toEqual([names, ["a__two", "b__four"]]);
});

test("a refusal that ends not with the tools is told, and costs no tool", async () => {
  let refuses = true;
  const adapter: Adapter = adapters.openai;
  const script = ({ tools: [name] }: WireRequest): Step[] =>
    refuses ? [fail(400, `The tool call "${name}" has no answer.`)] : [say("Hi.")];
  server = await adapter.start(script);
  const provider = openProviders(adapter.config(server.url)).provider(`openai/${adapter.model}`);
  const { error } = await collect(provider, turn([user("Hi")], { tools }));
  expect(error).toMatchObject({ code: "bad_response" });
  refuses = false;
  await collect(provider, turn([user("Hi")], { tools }));
  expect(server.requests.at(-1)?.tools).toEqual(names);
});

test("a server that refuses one tool after the other is asked a bounded number of times", async () => {
  const many = Array.from({ length: 40 }, (_, index) =>
    tool(`t${index}`, { type: "object", title: `${index}` }),
  );
  const { provider, server } = await open(
    "openai",
    (_, name) => fail(400, `Invalid schema for function '${name}'.`),
    many.map(({ name }) => name),
  );
  const { error } = await collect(provider, turn([user("Hi")], { tools: many }));
  expect(error).toMatchObject({ code: "bad_response" });
  expect(server.requests).toHaveLength(11);
});
