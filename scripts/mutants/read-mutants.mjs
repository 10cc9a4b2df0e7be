import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The planted faults of `scripts/mutants/*.jsonl`, one JSON object a line: `file` and what to `replace` in it (text that is
 * there exactly once) `by` what, the `tests` that must notice, and `why` it would hurt. Each also has its `list` and `line`.
 * Those that are to be noticed by built applications have the `title` of one of the tests, and which promise it `breaks`.
 */
export function readMutants(root) {
  const folder = "scripts/mutants";
  const lists = readdirSync(join(root, folder)).filter((name) => name.endsWith(".jsonl"));
  return lists.sort().flatMap((name) => {
    const list = `${folder}/${name}`;
    const lines = readFileSync(join(root, list), "utf8").split("\n");
    return lines.flatMap((line, index) =>
      line === "" ? [] : [{ ...parse(line, `${list}:${index + 1}`), list, line }],
    );
  });
}

/** Whether it takes a build to notice it. */
export const isBuilt = ({ tests }) => tests.every((test) => test.startsWith("e2e/"));

/** The source with the fault in it; throws where what it replaces is not there, or more than once. */
export function plant(source, { file, replace, by }) {
  const found = source.split(replace).length - 1;
  if (found !== 1)
    throw new Error(
      `${file} holds ${JSON.stringify(replace)} ${found} times; a planted fault needs it once.`,
    );
  return source.replace(replace, () => by);
}

function parse(line, where) {
  let mutant;
  try {
    mutant = JSON.parse(line);
  } catch {
    throw new Error(`${where} is not valid JSON.`);
  }
  for (const key of ["file", "replace", "by", "why"]) {
    if (typeof mutant[key] !== "string" || (key !== "by" && mutant[key] === "")) {
      throw new Error(`${where} needs the text ${key}.`);
    }
  }
  if (!Array.isArray(mutant.tests) || mutant.tests.length === 0) throw new Error(`${where} needs its tests.`);
  if (isBuilt(mutant) && !(mutant.title && mutant.breaks))
    throw new Error(`${where} needs the title of a test, and which promise it breaks.`);
  return mutant;
}
