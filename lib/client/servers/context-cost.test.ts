import { expect, it } from "vitest";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { costOfAll } from "./context-cost";

const server = (tools: number, tokens: number): McpServerItem =>
  ({
    name: "s",
    config: {},
    tools: Array.from({ length: tools }, () => ({ enabled: true, tokens })),
  }) as unknown as McpServerItem;

it("many tools are found by search, and only a full window is something to look at", () => {
  const window = 100_000;
  expect(costOfAll([server(54, 60)], window)).toEqual({ tokens: 3_240, isTooMuch: true, isFull: false });
  expect(costOfAll([server(8, 10_000)], window)).toMatchObject({ isTooMuch: true, isFull: false });
  expect(costOfAll([server(9, 9_000)], window)).toMatchObject({ isTooMuch: true, isFull: true });
  expect(costOfAll([server(9, 9_000)], null)).toMatchObject({ isTooMuch: false, isFull: false });
});
