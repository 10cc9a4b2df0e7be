import { expect, test } from "vitest";
import { openTempStore } from "./testing/temp-store";

test("a document counts its versions, and a write on an older one changes nothing", async () => {
  const { documents } = await openTempStore();
  expect(await documents.read("servers")).toBeUndefined();
  expect(await documents.write("servers", "first", 1)).toBeUndefined();
  expect(await documents.write("servers", "first", undefined)).toBe(1);
  expect(await documents.write("servers", "again", undefined)).toBeUndefined();
  expect(await documents.write("servers", "second", 1)).toBe(2);
  expect(await documents.write("servers", "late", 1)).toBeUndefined();
  expect(await documents.read("servers")).toEqual({ text: "second", version: 2 });
});

test("of many that write at once on one version one comes through", async () => {
  const { documents } = await openTempStore();
  const tries = async (version: number | undefined) =>
    (
      await Promise.all(Array.from({ length: 8 }, (_, at) => documents.write("servers", `by ${at}`, version)))
    ).filter((written) => written !== undefined);
  expect(await tries(undefined)).toEqual([1]);
  expect(await tries(1)).toEqual([2]);
});

test("documents are known by name and by how it begins, which may hold any character", async () => {
  const { documents } = await openTempStore();
  for (const name of ["pins", "pins:%", "pins:_b", "pinsX"]) await documents.write(name, "{}", undefined);
  await documents.write("pins:%", "{ }", 1);
  expect(await documents.names("pins:")).toEqual(["pins:%", "pins:_b"]);
  expect(await documents.versions(["pins", "pins:%", "nobody"])).toEqual(
    new Map([
      ["pins", 1],
      ["pins:%", 2],
    ]),
  );
  expect(await documents.versions([])).toEqual(new Map());
  expect(await documents.versionsUnder("pins:")).toEqual(
    new Map([
      ["pins:%", 2],
      ["pins:_b", 1],
    ]),
  );
  await documents.delete("pins:%");
  await documents.delete("pins:%");
  expect(await documents.names("pins")).toEqual(["pins", "pins:_b", "pinsX"]);
});

test("a document stays when everything is deleted, and one that is far too large is refused", async () => {
  const store = await openTempStore();
  const text = `{"a":"${"天".repeat(1_000)}"}`;
  await store.documents.write("servers", text, undefined);
  await store.empty();
  expect(await store.documents.read("servers")).toEqual({ text, version: 1 });
  const large = "天".repeat(64 * 350_000);
  await expect(store.documents.write("servers", large, 1)).rejects.toMatchObject({ code: "invalid" });
});
