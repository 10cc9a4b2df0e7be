import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { run } from "./run.mjs";

const cwd = import.meta.dirname;
const node = (code: string) => run(process.execPath, ["-e", code], { cwd });

test("the code and everything that was written come back", async () => {
  const { code, output } = await node("console.log('out'); console.error('err'); process.exitCode = 3");
  expect(code).toBe(3);
  expect(output.split("\n").sort()).toEqual(["", "err", "out"]);
});

test("of much output the end is kept", async () => {
  const { output } = await node("console.log('x'.repeat(200_000)); console.log('last')");
  expect(output.length).toBe(64 * 1024);
  expect(output.endsWith("last\n")).toBe(true);
});

test("a program that does not exist fails with its name", async () => {
  expect(await run("no-such-program", [], { cwd })).toEqual({
    code: 1,
    output: expect.stringContaining("no-such-program"),
  });
});

/** A parent that runs a child through `run()` and prints the child's id, started as npm starts scripts. */
async function startParent(shell: boolean) {
  const program = `
    import { run } from ${JSON.stringify(new URL("./run.mjs", import.meta.url).href)};
    const child = "console.log(process.pid); setInterval(() => {}, 1000)";
    await run(process.execPath, ["-e", child], { cwd: ".", show: true });`;
  const args = [process.execPath, "--input-type=module", "-e", program];
  const options = { env: { ...process.env, PROGRAM: program, npm_lifecycle_event: "test" }, shell: false };
  const parent = shell
    ? spawn("sh", ["-c", `"${process.execPath}" --input-type=module -e "$PROGRAM"; true`], options)
    : spawn(args[0] ?? "", args.slice(1), options);
  const [data] = await once(parent.stdout, "data");
  return { parent, childId: Number(String(data)) };
}

async function isGone(id: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      process.kill(id, 0);
    } catch {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

test("a signal reaches the program that runs", async () => {
  const { parent, childId } = await startParent(false);
  parent.kill("SIGTERM");
  expect(await isGone(childId)).toBe(true);
});

test("when the shell between npm and us dies of a signal, nothing is left running", async () => {
  const { parent, childId } = await startParent(true);
  parent.kill("SIGTERM");
  expect(await isGone(childId)).toBe(true);
});
