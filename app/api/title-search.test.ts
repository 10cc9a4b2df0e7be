import { expect, test } from "vitest";
import type { ConversationItem, Page } from "@/lib/protocol/http";
import { callApi, withApplication } from "./testing/call-api";

withApplication({});

const find = async (title: string, more = ""): Promise<string[]> => {
  const response = await callApi("GET", `/api/conversations?title=${encodeURIComponent(title)}${more}`);
  const page: Page<ConversationItem> = await response.json();
  return page.items.map((item) => item.title).sort();
};

test("conversations are found by all the words of their titles, in any case and any part", async () => {
  for (const title of ["Refund the 14 duplicates", "Why refunds spiked", "返金の規定", "100% of _it_"])
    await callApi("POST", "/api/conversations", { title });
  expect(await find("REFUND")).toEqual(["Refund the 14 duplicates", "Why refunds spiked"]);
  expect(await find("spik fund")).toEqual(["Why refunds spiked"]);
  expect(await find("返金")).toEqual(["返金の規定"]);
  expect(await find("ＲＥＦＵＮＤ dup")).toEqual(["Refund the 14 duplicates"]);
  expect(await find("0% _")).toEqual(["100% of _it_"]);
  expect(await find("refund", "&limit=1")).toHaveLength(1);
  expect(await find("refund", "&archived=true")).toEqual([]);
  expect((await callApi("GET", `/api/conversations?title=${"x".repeat(201)}`)).status).toBe(400);
});
