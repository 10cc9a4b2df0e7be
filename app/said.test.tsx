import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { KnownSentences, useSentence } from "@/components/ui/words/sentences";
import { runItem } from "@/lib/client/run/testing/run-item";
import type { ToolCallId } from "@/lib/protocol/ids";
import { saidIn } from "./said";

const limit = "The rate limit or quota of the model server has been reached.";
const failed = { ...runItem(), error: { code: "rate_limit", message: limit } };

test("what failed is said in Japanese however much people and tools have said before it", () => {
  const results = Array.from({ length: 100 }, (_, at) => ({
    ...{ id: `t${at}`, parentId: null, runId: "r1", model: null, createdAt: "", siblings: [] },
    role: "tool" as const,
    results: [result(`${at} files`), result(at === 99 ? "Not run: the budget is used up." : `Line ${at}`)],
  }));
  const said = saidIn("ja", { messages: results, runs: [failed] });
  expect(said[limit]).toMatch(/上限/);
  expect(Object.keys(said).every((text) => said[text] !== text)).toBe(true);
  expect(saidIn("en", { messages: results, runs: [failed] })).toEqual({});
});

test("however wide and deep a result is, only so much of it is looked at", () => {
  let deep: unknown = { text: "Line" };
  for (let at = 0; at < 100_000; at++) deep = [deep];
  let looks = 0;
  const numbers = Array.from({ length: 100_000 }, () => 1);
  const wide = new Proxy(numbers, {
    get: (target, key) => {
      if (typeof key === "string" && /^\d+$/.test(key)) looks++;
      return Reflect.get(target, key);
    },
  });
  const message = {
    ...{ id: "t", parentId: null, runId: "r1", model: null, createdAt: "", siblings: [] },
    role: "tool" as const,
    results: [{ ...result("Line"), structuredContent: { deep, wide } }],
  };
  expect(saidIn("ja", { messages: [message], runs: [failed] })[limit]).toMatch(/上限/);
  expect(looks).toBeLessThan(25_000);
});

test("a text that is called like a part of every object is that text", () => {
  const draw = (text: string) =>
    renderToStaticMarkup(
      <KnownSentences said={{ One: "一" }}>
        <Said text={text} />
      </KnownSentences>,
    );
  expect(["One", "Two", "__proto__", "constructor"].map(draw)).toEqual([
    ...["一", "Two", "__proto__", "constructor"],
  ]);
});

const Said = ({ text }: { text: string }) => useSentence()(text);

const result = (text: string) => ({
  ...{ id: "c" as ToolCallId, name: "demo__add", status: "error" as const },
  content: [{ type: "text" as const, text }],
});
