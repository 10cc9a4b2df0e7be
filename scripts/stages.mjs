import { stripVTControlCharacters } from "node:util";
import { run } from "./run.mjs";
import { SetupError } from "./setup-error.mjs";

/**
 * @typedef {{ title: string, name?: string, commands: string[][], prepare?: () => Promise<void>, closing?: RegExp }} Stage
 * `commands` run one after the other; `closing` picks the runner's own closing lines out of their output. A stage that runs
 * beside another has a `name`, which stands before each of its lines.
 *
 * @typedef {Stage[][]} Part Lanes that run beside each other; the stages of a lane follow each other.
 */

/**
 * Plays one part after the other, and begins no stage after one that has failed; those beside it run to their end.
 *
 * Returns the titles of what has failed, and the closing lines of what was played, in the order of the parts.
 *
 * @param {Part[]} parts
 * @param {string} cwd
 */
export async function playParts(parts, cwd) {
  const failed = [];
  const summary = [];
  for (const lanes of parts) {
    const played = await Promise.all(lanes.map((stages) => playLane(stages, cwd, failed)));
    summary.push(...played.flat());
  }
  return { failed, summary };
}

/**
 * @param {Stage[]} stages
 * @param {string} cwd
 * @param {string[]} failed
 */
async function playLane(stages, cwd, failed) {
  const summary = [];
  for (const stage of stages) {
    if (failed.length > 0) break;
    const { code, output } = await playStage(stage, cwd);
    summary.push(...closingLines(stage, code, output));
    if (code !== 0) failed.push(stage.title);
  }
  return summary;
}

/**
 * @param {Stage} stage
 * @param {string} cwd
 */
async function playStage({ title, name, prepare, commands }, cwd) {
  console.log(`\n── ${title}`);
  let output = "";
  try {
    await prepare?.();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    return { code: 1, output };
  }
  for (const [command, ...args] of commands) {
    const result = await run(command, args, { cwd, show: name === undefined ? true : `${name} │ ` });
    output += result.output;
    if (result.code !== 0) return { code: result.code, output };
  }
  return { code: 0, output };
}

/** @param {Stage} stage */
function closingLines({ title, closing }, code, output) {
  const lines = stripVTControlCharacters(output).split("\n");
  const found = closing === undefined ? [] : lines.filter((line) => closing.test(line));
  return [`── ${title}: ${code === 0 ? "passed" : `failed with code ${code}`}`, ...found];
}
