import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonItem, splitJson } from "./split-json";

const limits = { bytes: 10_000, depth: 50 };

async function split(bytes: Uint8Array, size = 7, told = limits) {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const items: JsonItem[] = [];
  try {
    for await (const item of splitJson(pieces(), told)) items.push(item);
    return { items };
  } catch (cause) {
    return { items, cause };
  }
}

const textOf = (items: readonly JsonItem[]) =>
  items.map((item) => ("text" in item ? JSON.parse(item.text) : item));

test("any list comes back element by element, however it is cut into pieces and spaced", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue({ maxDepth: 4 })),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(undefined, 1, "\t"),
      async (list, size, space) => {
        const { items, cause } = await split(Buffer.from(JSON.stringify(list, null, space)), size);
        expect(cause).toBeUndefined();
        expect(textOf(items)).toEqual(JSON.parse(JSON.stringify(list)));
      },
    ),
  );
});

test("whatever is cut off, the elements before stay", async () => {
  const list = [{ title: "a]" }, { title: 'b"}' }, [1, "\\"], 3];
  const bytes = Buffer.from(JSON.stringify(list));
  for (let end = 1; end < bytes.length; end++) {
    const { items, cause } = await split(bytes.subarray(0, end));
    expect(textOf(items)).toEqual(list.slice(0, items.length));
    expect(cause).toMatchObject({ name: "BrokenJson", reason: "cut", items: items.length });
  }
});

test("a file that is one object is one element, with a mark in front too", async () => {
  expect(await split(Buffer.from('\ufeff {"a": [1]}\n'))).toEqual({ items: [{ text: '{"a": [1]}' }] });
});

test("any bytes end with a named fault or without one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (bytes, isList) => {
      const { cause } = await split(isList ? Buffer.concat([Buffer.from("[{"), bytes]) : bytes);
      if (cause) expect(cause).toMatchObject({ name: "BrokenJson" });
    }),
  );
});

test("an element that is too large or too deep is passed over, and the next one is read", async () => {
  const deep = "[".repeat(60) + "]".repeat(60);
  const json = `[{"title":"long","x":"${"y".repeat(20_000)}"},${deep},{"title":"next"}]`;
  const { items } = await split(Buffer.from(json), 1_000);
  expect(items).toEqual([
    { tooLarge: true, start: expect.stringContaining('"title":"long"') },
    { tooLarge: true, start: deep },
    { text: '{"title":"next"}' },
  ]);
  expect(items[0]).toMatchObject({ start: expect.stringMatching(/^.{2000}$/) });
});

test.each(["", "  ", "plain", '"text"', "\xff\xfe[\0"])("%j is no list", async (text) => {
  expect(await split(Buffer.from(text, "latin1"))).toMatchObject({ cause: { reason: "not_json" } });
});

test.each(["[,]", "[1,,2]", "{}{}", "[]1", "[1] x"])("%s is broken", async (text) => {
  expect(await split(Buffer.from(text))).toMatchObject({ cause: { name: "BrokenJson" } });
});
