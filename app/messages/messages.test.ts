import compile from "icu-minify/compile";
import format from "icu-minify/format";
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

  it("say the same when they are compiled", () => {
    for (const locale of locales)
      for (const [key, text] of leaves(messages[locale]))
        for (const values of valuesFor(text)) {
          const t = createTranslator({ locale, messages: { text }, timeZone: "UTC" });
          const compiled = format(compile(text), locale, values, { formatters, timeZone: "UTC" });
          expect(compiled, `${locale} ${key}`).toBe(t.markup("text", values));
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

const formatters = {
  getDateTimeFormat: (...format: ConstructorParameters<typeof Intl.DateTimeFormat>) =>
    new Intl.DateTimeFormat(...format),
  getNumberFormat: (...format: ConstructorParameters<typeof Intl.NumberFormat>) =>
    new Intl.NumberFormat(...format),
  getPluralRules: (...format: ConstructorParameters<typeof Intl.PluralRules>) =>
    new Intl.PluralRules(...format),
};

/** Numbers that choose each branch of a plural and show how numbers are written; each branch of a selection. */
function valuesFor(text: string): Record<string, string | number | ((words: unknown) => string)>[] {
  const branches = [...text.matchAll(/(\w+) \{/g)].map((match) => match[1] ?? "");
  const fill = (hole: string, value: string | number) => {
    if (text.includes(`<${hole}>`)) return (words: unknown) => `(${words})`;
    return new RegExp(`\\{${hole}, (plural|number)`).test(text) ? Number(value) || 0 : value;
  };
  return [0, 1, 2, 200, 1234.5, ...branches].map((value) =>
    Object.fromEntries(holes(text).map((hole) => [hole, fill(hole, value)])),
  );
}

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
