import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { __unstable__loadDesignSystem as loadDesignSystem } from "tailwindcss";
import { expect, test } from "vitest";

/** Where CSS is written by hand, beside the utilities. */
const sheets = [
  "components/ui/code/markdown.css",
  "components/ui/ring.css",
  "components/chat/turn/ledger.css",
];

/** What every page begins with: tokens, the base, and the utilities of ours. */
const base = [
  "app/forced-colors.css",
  "app/globals.css",
  "app/print.css",
  "app/tokens.css",
  "app/utilities.css",
  "components/ui/controls/looks.css",
  "components/shell/side.css",
];

/** They style nothing by themselves: utilities of other elements look at them. */
const marker = /^(group|peer)(\/|$)/;

test("sheets are written by hand only for what utilities cannot draw", () => {
  expect(globSync("{app,components}/**/*.css", { cwd: root }).sort()).toEqual([...sheets, ...base].sort());
});

test("every class of an element is a utility or stands alone, from a sheet", async () => {
  const byHand = new Set(sheets.flatMap((sheet) => classesOf(read(sheet))));
  const isUtility = await utilities();
  const wrong = globSync("{app,components}/**/*.tsx", { cwd: root }).flatMap((file) =>
    classLists(file).flatMap((classes) => {
      const unknown = classes.filter((name) => !byHand.has(name) && !marker.test(name) && !isUtility(name));
      const mixed = classes.length > 1 && classes.filter((name) => byHand.has(name));
      return [...unknown, ...(mixed || [])].map((name) => `${file}: ${name} in "${classes.join(" ")}"`);
    }),
  );
  expect(wrong).toEqual([]);
});

test("the check sees a class that is defined nowhere, and one of a sheet beside utilities", async () => {
  const isUtility = await utilities();
  expect(
    ["flex", "phone:px-4", "meta", "[&>p]:mt-1", "bg-paper-2"].filter((name) => !isUtility(name)),
  ).toEqual([]);
  expect(["markdown", "no-such", "bg-red-500", "phone:x"].filter(isUtility)).toEqual([]);
  const text = `const a = <p className={cn("markdown", kind === "x" && "mt-1")} />; const bLook = "flex p-1";`;
  expect(listsIn("planted.tsx", text)).toEqual([
    ["markdown", "mt-1"],
    ["flex", "p-1"],
  ]);
});

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Names of classes in the selectors of a sheet. */
function classesOf(css: string): string[] {
  const selectors = css.replace(/\/\*[\s\S]*?\*\//g, "").match(/[^{};]+(?=\{)/g) ?? [];
  return selectors.flatMap((selector) =>
    [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = ""]) => name),
  );
}

async function utilities(): Promise<(name: string) => boolean> {
  const loadStylesheet = async (id: string, base: string) => {
    const path = id === "tailwindcss" ? join(root, "node_modules/tailwindcss/index.css") : join(base, id);
    return { path, base: dirname(path), content: readFileSync(path, "utf8") };
  };
  const system = await loadDesignSystem(read("app/globals.css"), { base: join(root, "app"), loadStylesheet });
  return (name) => system.candidatesToCss([name])[0] !== null;
}

const classLists = (file: string) => listsIn(file, read(file));

/** The classes of each `className`, and of each constant that is named for a look. */
function listsIn(file: string, text: string): string[][] {
  const lists: string[][] = [];
  const take = (node: unknown) => {
    const names = textsOf(node as Node).flatMap((one) => one.split(/\s+/).filter(Boolean));
    if (names.length > 0) lists.push(names);
  };
  new Visitor({
    JSXAttribute({ name, value }) {
      if (name.type === "JSXIdentifier" && /^class(Name)?$/.test(name.name)) take(value);
    },
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && /(Look|Class)$/.test(id.name)) take(init);
    },
  }).visit(parseSync(file, text).program);
  return lists;
}

interface Node {
  type: string;
  [part: string]: unknown;
}

/** Texts that may become classes; not those that something is compared with or asked for. */
function textsOf(node: Node | null | undefined): string[] {
  if (!node) return [];
  const parts = (...names: string[]) =>
    names.flatMap((name) => [node[name] as Node | Node[]].flat().flatMap(textsOf));
  switch (node.type) {
    case "Literal":
      return typeof node.value === "string" ? [node.value] : [];
    case "JSXExpressionContainer":
    case "TSAsExpression":
      return parts("expression");
    case "ConditionalExpression":
      return parts("consequent", "alternate");
    case "LogicalExpression":
      return node.operator === "&&" ? parts("right") : parts("left", "right");
    case "ObjectExpression":
      return parts("properties");
    case "Property":
      return parts("value");
    case "CallExpression":
      return (node.callee as Node).name === "cn" ? parts("arguments") : [];
    default:
      return [];
  }
}
