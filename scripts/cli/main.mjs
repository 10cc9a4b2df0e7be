import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { SetupError } from "../setup-error.mjs";
import { prepareFolder } from "./data-folder.mjs";
import { help } from "./help.mjs";

/** @type {import("node:util").ParseArgsOptionsConfig} */
const options = {
  data: { type: "string" },
  port: { type: "string" },
  "no-open": { type: "boolean" },
  model: { type: "string" },
  assistant: { type: "string" },
  conversation: { type: "string" },
  json: { type: "boolean" },
  url: { type: "string" },
  "with-secret": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
};

/** What each command does beside `--data`, with the options that it takes; the modules are loaded when they are called. */
const commands = {
  start: { takes: ["port", "no-open"], run: async (call) => (await import("./start.mjs")).start(call) },
  ask: {
    takes: ["model", "assistant", "conversation", "json", "url"],
    run: async (call) => (await import("./ask.mjs")).ask(call),
  },
  mcp: { takes: ["url"], run: async (call) => (await import("./mcp.mjs")).mcp(call) },
  import: { takes: ["url"], run: async (call) => (await import("./transfer.mjs")).importFile(call) },
  export: { takes: ["url"], run: async (call) => (await import("./transfer.mjs")).exportFile(call) },
  backup: { takes: ["with-secret"], run: (call) => runScript(call, () => import("../backup.mjs")) },
  restore: { takes: [], run: (call) => runScript(call, () => import("../restore.mjs")) },
  replay: { takes: [], run: async ({ rest }) => (await import("../replay.mjs")).printRun(rest[0]) },
};

/** Runs what the command line says; sets the exit code to 1 where it fails, with one sentence on stderr. */
export async function main(line) {
  try {
    const { command, rest, values } = read(line);
    if (values.help) return console.log(help);
    const { version, config } = readPackage();
    if (values.version) return console.log(version);
    // The package has its build in the folder that it was built into.
    if (config) process.env.NEXT_DIST_DIR ||= config.distDir;
    const folder = prepareFolder(values.data);
    await commands[command].run({ rest, values, folder });
  } catch (error) {
    console.error(error instanceof SetupError ? error.message : error);
    process.exit(1);
  }
}

function read(line) {
  const { values, positionals } = parse(line);
  const [command = "start", ...rest] = positionals;
  if (!Object.hasOwn(commands, command))
    throw new SetupError(`"${command}" is no command of Meguri: see meguri --help.`);
  const { takes } = commands[command];
  const stray = Object.keys(values).find((name) => !["data", "help", "version", ...takes].includes(name));
  if (stray) throw new SetupError(`--${stray} is no option of meguri ${command}: see meguri --help.`);
  return { command, rest, values };
}

function parse(line) {
  try {
    return parseArgs({ args: line, options, allowPositionals: true });
  } catch (error) {
    // The first sentence names the option; the others explain how Node reads it.
    throw new SetupError(`${error.message.split(/\.\s/)[0]}: see meguri --help.`);
  }
}

const readPackage = () => JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The scripts of `npm run` read the command line themselves. */
async function runScript({ rest, values }, load) {
  // Set by npm to where it was called, which for the package is where we are.
  delete process.env.INIT_CWD;
  const flags = Object.keys(values).filter((name) => name !== "data");
  process.argv = [...process.argv.slice(0, 2), ...rest, ...flags.map((name) => `--${name}`)];
  await load();
}
