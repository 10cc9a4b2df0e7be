import { createTranslator } from "use-intl/core";
import { describe, expect, it } from "vitest";
import { locales, messages } from ".";

describe("messages", () => {
  it("have the same keys in every language", () => {
    for (const locale of locales) expect(keys(messages[locale])).toEqual(keys(messages.en));
  });

  it("have no empty string", () => {
    for (const locale of locales)
      for (const [key, text] of leaves(messages[locale]))
        expect(text.trim(), `${locale} ${key}`).not.toBe("");
  });

  it("can be written out", () => {
    for (const locale of locales)
      for (const [key, text] of leaves(messages[locale])) {
        const t = createTranslator({
          locale,
          messages: { text },
          timeZone: "UTC",
          onError: (error) => expect.fail(`${locale} ${key}: ${error.message}`),
        });
        const isTag = (hole: string) => text.includes(`<${hole}>`);
        const values = holes(text).map((hole) => [hole, isTag(hole) ? (words: string) => words : 2]);
        expect(t.markup("text", Object.fromEntries(values))).not.toContain("{count");
      }
  });

  it("name the same arguments and tags in every language", () => {
    for (const locale of locales) {
      const there = new Map(leaves(messages[locale]));
      for (const [key, text] of leaves(messages.en))
        expect(holes(there.get(key) ?? ""), `${locale} ${key}`).toEqual(holes(text));
    }
  });
});

type Tree = { [key: string]: string | Tree };

function leaves(tree: Tree, path = ""): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === "string"
      ? [[`${path}${key}`, value] as [string, string]]
      : leaves(value, `${path}${key}.`),
  );
}

function keys(tree: Tree): string[] {
  return leaves(tree)
    .map(([key]) => key)
    .sort();
}

/** Arguments and tags: `{name}`, `{n, plural, …}`, `<b>`; the branches of a plural are words. */
function holes(text: string): string[] {
  const found = text.matchAll(/(?<!'|(?:=\d+|one|other) )\{(\w+)[,}]|<(\w+)>/g);
  return [...new Set([...found].map((match) => match[1] ?? match[2] ?? ""))].sort();
}
