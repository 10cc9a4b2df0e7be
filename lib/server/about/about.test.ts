import { expect, test } from "vitest";
import { docAddress, docNames, readAbout, readDoc } from "./about";

test("what is told of the installation is what its own files say", async () => {
  const about = await readAbout();
  expect(about.node).toBe(process.versions.node);
  expect(about.conformance.map(({ scope, of }) => `${scope} ${of}`)).toEqual(
    expect.arrayContaining(["required 2026-07-28", expect.stringMatching(/^all \d+\.\d+\.\d+/)]),
  );
  for (const { passed, total } of about.conformance) {
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThanOrEqual(total);
  }
  const mit = about.licenses.find(({ license }) => license === "MIT");
  expect(mit?.packages.some((name) => name.startsWith("react "))).toBe(true);
  expect(about.licenses.map(({ license }) => license)).not.toContain("?");
  const all = about.licenses.flatMap(({ packages }) => packages);
  expect(all.some((name) => name.startsWith("vitest "))).toBe(false);
  expect(all).toEqual([...new Set(all)]);
});

test("each page of the documentation can be read, and nothing else", async () => {
  for (const name of docNames) expect((await readDoc(name))?.length).toBeGreaterThan(500);
  for (const name of ["../package.json", "package-lock", "__proto__", "toString", "docs/http-api.md", ""])
    expect(await readDoc(name)).toBeUndefined();
});

test("a link between pages leads to the page in the application, one to another file nowhere", () => {
  expect(docAddress("docs/http-api.md#runs")).toBe("/settings/about/http-api#runs");
  expect(docAddress("http-api.md")).toBe("/settings/about/http-api");
  expect(docAddress("../CONTRIBUTING.md")).toBe("/settings/about/contributing");
  expect(docAddress("#endings")).toBe("#endings");
  expect(docAddress("decisions/0001-sqlite-and-kysely.md")).toBe("");
  expect(docAddress("../../etc/passwd")).toBe("");
});
