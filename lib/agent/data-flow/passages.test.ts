import fc from "fast-check";
import { expect, test } from "vitest";
import { Passages, shortestPassage } from "./passages";

function find(text: string, ...others: string[]): string[] {
  const passages = new Passages<number>();
  for (const [index, other] of others.entries()) passages.add(other, index);
  return passages.find(text).map(({ from, to }) => text.slice(from, to));
}

const secret = "The launch code is 4711-0815-42.";

test("what two texts share from 24 characters on is found, wherever it stands in both", () => {
  for (let before = 0; before < 30; before++)
    for (const length of [shortestPassage, secret.length])
      expect(
        find(`>>${secret.slice(0, length)}<<`, `${"·".repeat(before)}${secret.slice(0, length)}··`),
      ).toEqual([secret.slice(0, length)]);
});

test("what is shorter is not", () => {
  for (let before = 0; before < 30; before++)
    expect(find(`>>${secret.slice(0, 23)}<<`, `${"·".repeat(before)}${secret.slice(0, 23)}··`)).toEqual([]);
});

test("each source is found by itself, and what touches in one of them is one passage", () => {
  const passages = new Passages<string>();
  passages.add(secret, "a");
  passages.add(`${secret} And more of it than before.`, "b");
  passages.add(" And more of it than before.", "a");
  const text = `${secret} And more of it than before.`;
  const found = passages.find(text).map(({ source, from, to }) => [source, text.slice(from, to)]);
  expect(found.toSorted()).toEqual([
    ["a", text],
    ["b", text],
  ]);
});

test("what stands apart is as many passages", () => {
  const others = [secret, "Nobody may read this one either."];
  expect(find(others.join(" or: "), others.join("\n"))).toEqual(others);
});

test("as a search for every part would", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 0, maxLength: 90 });
  fc.assert(
    fc.property(letters, fc.array(letters, { maxLength: 2 }), (text, others) => {
      const found = find(text, ...others);
      for (const passage of found) {
        expect(passage.length).toBeGreaterThanOrEqual(shortestPassage);
      }
      const isShared = Array.from({ length: text.length }, (_, at) =>
        text.slice(at, at + shortestPassage),
      ).some((part) => part.length === shortestPassage && others.some((other) => other.includes(part)));
      expect(found.length > 0).toBe(isShared);
    }),
  );
});
