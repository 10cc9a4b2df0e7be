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

/** `{name`, `{n, plural`, `<b>`: Japanese needs no `one` form, so that only the names are compared. */
function holes(text: string): string[] {
  return [
    ...new Set([...text.matchAll(/\{(\w+)[,}]|<(\w+)>/g)].map((match) => match[1] ?? match[2] ?? "")),
  ].sort();
}
