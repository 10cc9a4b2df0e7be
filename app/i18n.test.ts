import { expect, it } from "vitest";
import { negotiate } from "./i18n";

it("takes the language with the greatest weight that exists", () => {
  expect(negotiate("ja,en-US;q=0.9,en;q=0.8")).toBe("ja");
  expect(negotiate("fr-FR,fr;q=0.9,en;q=0.5,ja;q=0.7")).toBe("ja");
  expect(negotiate("ja-JP")).toBe("ja");
});

it("speaks English when nothing fits", () => {
  expect(negotiate("")).toBe("en");
  expect(negotiate("de, ja;q=0")).toBe("en");
  expect(negotiate(";;q=,,*")).toBe("en");
});
