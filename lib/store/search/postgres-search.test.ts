import { expect, test } from "vitest";
import { conversation, message } from "@/lib/store/testing/rows";
import { openTempStore } from "@/lib/store/testing/temp-store";

test("in a long text every phrase is found, and words that are far from each other", async () => {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  const characters = Array.from({ length: 5_000 }, (_, at) =>
    String.fromCodePoint(0x4e00 + ((at * 7) % 4_999)),
  );
  const text = `beginning ${characters.join("")} ending`;
  await store.messages.append("c1", [
    message("long", null, { message: { role: "user", parts: [{ type: "text", text }] } }),
  ]);
  const finds = async (query: string) =>
    (await store.search.messages("ann", query, { limit: 5 })).items.length === 1;
  for (let at = 0; at + 100 <= characters.length; at += 50)
    expect(await finds(characters.slice(at, at + 100).join("")), `from ${at}`).toBe(true);
  expect(await finds("beginning ending")).toBe(true);
  expect(await finds("beg end")).toBe(true);
  expect(await finds(`ending ${characters.slice(0, 3).join("")}`)).toBe(true);
  expect(await finds("beginning nowhere")).toBe(false);
  expect(await finds(`${characters[0]}${characters[2]}`)).toBe(false);
});
