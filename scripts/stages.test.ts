import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { tempDir } from "@/lib/store/testing/temp-store";

const root = import.meta.dirname;

/** What a run of these parts prints, and what it returns as its last line. */
async function play(parts: unknown): Promise<{ printed: string[]; result: unknown }> {
  const program = `
    import { playParts } from ${JSON.stringify(new URL("./stages.mjs", import.meta.url).href)};
    const parts = ${JSON.stringify(parts)}.map((lanes) => lanes.map((stages) => stages.map((stage) => ({
      ...stage, closing: /closes/, commands: stage.codes.map((code) => [process.execPath, "-e", code]) }))));
    console.log("\\n" + JSON.stringify(await playParts(parts, ${JSON.stringify(root)})));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
  const lines = (await text(child.stdout)).split("\n").filter((line) => line !== "");
  return { printed: lines.slice(0, -1), result: JSON.parse(lines.at(-1) ?? "") };
}

const leave = (mark: string) => `require("fs").writeFileSync(${JSON.stringify(mark)}, String(process.pid));`;
/** Until whoever left the mark is gone. */
const follow = (mark: string, then: string) => `
  const { existsSync, readFileSync } = require("fs");
  setInterval(() => {
    try {
      if (existsSync(${JSON.stringify(mark)})) process.kill(Number(readFileSync(${JSON.stringify(mark)}, "utf8")), 0);
    } catch {
      ${then}
      process.exit();
    }
  }, 20);`;

test("lanes run beside each other, each line under the name of its stage, and are summed up in their order", async () => {
  const mark = join(tempDir(), "mark");
  const slow = { title: "slow", name: "a", codes: [follow(mark, "console.log('it closes')")] };
  const quick = { title: "quick", name: "b", codes: ["process.stdout.write('no end of the line')"] };
  const next = { title: "next", name: "c", codes: [`console.error('closes too'); ${leave(mark)}`] };
  const last = { title: "last", codes: ["console.log('alone')"] };
  const { printed, result } = await play([[[slow], [quick, next]], [[last]]]);
  expect(printed).toEqual(
    ["── slow", "── quick", "b │ no end of the line", "── next", "c │ closes too", "a │ it closes"].concat(
      "── last",
      "alone",
    ),
  );
  expect(result).toEqual({
    failed: [],
    summary: ["── slow: passed", "it closes", "── quick: passed", "── next: passed", "closes too"].concat(
      "── last: passed",
    ),
  });
});

test("after a failure the stage beside it ends and is told, and no other begins", async () => {
  const mark = join(tempDir(), "mark");
  const slow = { title: "slow", name: "a", codes: [follow(mark, "console.log('it closes')")] };
  const after = { title: "after", name: "a", codes: ["console.log('never')"] };
  const broken = {
    title: "broken",
    name: "b",
    codes: [`${leave(mark)} process.exit(3)`, "console.log('never')"],
  };
  const last = { title: "last", codes: ["console.log('never')"] };
  const { printed, result } = await play([[[slow, after], [broken]], [[last]]]);
  expect(printed).toEqual(["── slow", "── broken", "a │ it closes"]);
  expect(result).toEqual({
    failed: ["broken"],
    summary: ["── slow: passed", "it closes", "── broken: failed with code 3"],
  });
});
