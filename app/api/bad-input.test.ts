import fc from "fast-check";
import { beforeAll, expect, test, vi } from "vitest";
import { openApi } from "@/lib/server/contract/openapi";
import { getDeps } from "@/lib/server/entry/deps";
import { countRows, wholeStored } from "@/lib/server/testing/stored-rows";
import { callApi, readStream, withApplication } from "./testing/call-api";

const plain = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
/** Nobody listens there: what asks a provider reaches no other machine. */
const nowhere = "http://127.0.0.1:9/v1";
withApplication({ plain }, { OPENAI_BASE_URL: nowhere, OLLAMA_BASE_URL: nowhere });

interface Operation {
  requestBody?: { content: { "application/json": { schema: Shape } } };
}
const operations = Object.entries(openApi().paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(([method, { requestBody }]) => ({
    ...{ method: method.toUpperCase(), path },
    ...{ takesBody: requestBody !== undefined, shape: requestBody?.content["application/json"].schema ?? {} },
  })),
);
const withBody = operations.filter(({ takesBody }) => takesBody);

/** What is there, so that a body is read and not only an unknown id refused. */
const ids: Record<string, string> = {};
const place = (path: string) =>
  path.replaceAll(/\/(\w+)\/\{(\w+)\}/g, (_, kind: string, name: string) => `/${kind}/${ids[kind] ?? name}`);

beforeAll(async () => {
  const { runId, conversationId } = await readStream(
    await callApi("POST", "/api/chat", { message: { text: "count to 2" } }),
  );
  const made = async (path: string, body: object) =>
    (await (await callApi("POST", path, body)).json()) as { id: string; token: string };
  const share = await made(`/api/conversations/${conversationId}/shares`, {});
  Object.assign(ids, {
    ...{ runs: runId, conversations: conversationId, shares: share.id, share: share.token, servers: "plain" },
    assistants: (await made("/api/assistants", { name: "kept" })).id,
    projects: (await made("/api/projects", { name: "kept" })).id,
    prompts: (await made("/api/prompts", { name: "kept", text: "kept" })).id,
    hooks: (await made("/api/hooks", { url: "https://hooks.example/", events: ["run.waiting"] })).id,
    providers: "openai",
  });
  // The log of that run is packed some seconds after its end, and so would be another one in the middle of a test.
  await vi.waitFor(async () => expect(await countRows("event_journal")).toBe(0), 20_000);
});

/** `BODIES=20000 npx vitest run app/api/bad-input` looks longer. */
const numRuns = Number(process.env.BODIES ?? 400);

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const bad: Record<string, string | Uint8Array<ArrayBuffer>> = {
  "no JSON": "{",
  "a list": "[]",
  "a number": "1",
  "not a number": '{"name": NaN}',
  "a list of lists": deep(100_000).replaceAll('{"a":', "[").replaceAll("}", "]"),
  "100,000 levels": deep(100_000),
  "10 MB": JSON.stringify({ name: "x".repeat(10_000_000) }),
  "a prototype": '{"__proto__": {"name": "x"}}',
  "no UTF-8": new Uint8Array([...Buffer.from('{"name": "'), 0xff, 0xc0, ...Buffer.from('"}')]),
};

async function answerTo(method: string, path: string, body: string | Uint8Array<ArrayBuffer>) {
  const response = await callApi(method, path, body);
  const text = await response.text();
  const error =
    response.status >= 400
      ? (JSON.parse(text) as { error?: { code?: string; message?: string } }).error
      : undefined;
  return { status: response.status, error };
}

test.each(withBody)(
  "$method $path refuses what is no body of its own by name, and stores nothing of it",
  async ({ method, path }) => {
    const before = await wholeStored();
    const faults: unknown[] = [];
    for (const [what, body] of Object.entries(bad)) {
      const { status, error } = await answerTo(method, place(path), body);
      if (status < 400 || status >= 500 || !error?.code || error.code === "internal" || !error.message)
        faults.push([what, status, error]);
    }
    expect(faults).toEqual([]);
    expect(await wholeStored()).toBe(before);
  },
);

/** What JSON Schema says of a body, as far as ours say it. */
interface Shape {
  type?: string;
  properties?: Record<string, Shape>;
  required?: string[];
  additionalProperties?: boolean | Shape;
  items?: Shape;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Shape[];
  oneOf?: Shape[];
}

const wrong = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    "a\r\nb: c",
    "\0",
    "\ud800",
    "__proto__",
    1e308,
    -1,
    0.5,
    [],
    {},
    null,
    "x".repeat(300),
  ),
);

/** A body of this shape, in which one member in eight is something else. */
function bodyOf(shape: Shape, depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 7, arbitrary: wellFormed(shape, depth) }, { weight: 1, arbitrary: wrong });
}

function wellFormed(shape: Shape, depth: number): fc.Arbitrary<unknown> {
  const either = shape.anyOf ?? shape.oneOf;
  if (depth > 5) return wrong;
  if (either) return fc.oneof(...either.map((one) => bodyOf(one, depth + 1)));
  if (shape.enum) return fc.constantFrom(...shape.enum);
  if (shape.const !== undefined) return fc.constant(shape.const);
  switch (shape.type ?? "anything") {
    case "string":
      return fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom(...Object.values(ids), "mcp:plain:*"));
    case "integer":
    case "number":
      return fc.integer({ min: -2, max: 1_000 });
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(bodyOf(shape.items ?? {}, depth + 1), { maxLength: 3 });
    case "object": {
      const members = Object.entries(shape.properties ?? {}).map(
        ([name, member]) => [name, bodyOf(member, depth + 1)] as const,
      );
      const own = fc.record(Object.fromEntries(members), {
        requiredKeys: shape.required ?? [],
        noNullPrototype: true,
      });
      if (typeof shape.additionalProperties !== "object") return own;
      const others = fc.dictionary(fc.string(), bodyOf(shape.additionalProperties, depth + 1), {
        maxKeys: 2,
      });
      return fc.tuple(own, others).map(([named, more]) => ({ ...named, ...more }));
    }
    default:
      return wrong;
  }
}

/** Nothing is left to be asked about afterwards. */
const isFinal = (path: string) => path === "/api/data/delete";

test("whatever a body of about the right shape holds, it is taken or refused by name, and the application goes on", async () => {
  const request = fc
    .constantFrom(...withBody.filter(({ path }) => !isFinal(path)))
    .chain((operation) => bodyOf(operation.shape).map((body) => ({ ...operation, body })));
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, body }) => {
      const { status, error } = await answerTo(method, place(path), JSON.stringify(body) ?? "");
      if (status < 400) return;
      refused += 1;
      // A server of tools may fail (502), and there may be too much to do (503); this application never does.
      expect(status, JSON.stringify(error)).not.toBe(500);
      expect(error?.code).toMatch(/^(?!internal)\w+$/);
      expect(error?.message).not.toBe("");
    }),
    { numRuns },
  );
  const { runs } = await getDeps();
  for (const run of runs.all()) {
    run.abort.abort();
    await run.ended;
  }
  expect(refused).toBeGreaterThan(numRuns / 4);
  expect((await callApi("GET", "/api/health")).status).toBe(200);
});

const odd = [
  "%0d%0aset-cookie:%20a=b",
  "%00",
  "..%2f..%2fetc",
  "__proto__",
  "constructor",
  "x".repeat(5_000),
  "%F0%9F%92%A9",
];
const withParameter = operations.filter(({ path }) => path.includes("{"));

test.each(withParameter)(
  "$method $path answers names that are none as unknown ones",
  async ({ method, path, takesBody }) => {
    for (const name of odd) {
      const at = path.replaceAll(/\{\w+\}/g, name);
      const response = await callApi(method, at, takesBody ? "{}" : undefined);
      const text = await response.text();
      expect([response.status >= 400 && response.status < 500, at.slice(0, 80), text.slice(0, 400)]).toEqual([
        true,
        expect.anything(),
        expect.stringContaining('"code"'),
      ]);
      expect(text).not.toContain('"internal"');
      expect([...response.headers.keys()]).not.toContain("set-cookie");
    }
  },
);
