import { fileURLToPath } from "node:url";
import nextEnv from "@next/env";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Of these the message is for the person at the terminal. */
const told = ["StartError", "StoreError", "DataDirInUseError", "DatabaseInUseError"];

/** Does something to the data folder with the variables that `npm start` has, prints what it says, and ends. */
export async function onData(work) {
  process.chdir(root);
  nextEnv.loadEnvConfig(root, false, { info: () => {}, error: console.error });
  try {
    for (const line of await work(process.env)) console.log(line);
  } catch (error) {
    console.error(told.includes(error.name) ? error.message : error);
    process.exitCode = 1;
  }
}
