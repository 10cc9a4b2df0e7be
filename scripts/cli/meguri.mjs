#!/usr/bin/env node
// The command of the package. Nothing else is loaded before the version of Node is known to do.
import { isNewEnough } from "../choose-node.mjs";

if (isNewEnough(process.versions.node)) {
  const { main } = await import("./main.mjs");
  await main(process.argv.slice(2));
} else {
  console.error(
    `Meguri needs Node 22.13 or newer, and this is ${process.versions.node}: install Node 24 from https://nodejs.org and run it again.`,
  );
  process.exitCode = 1;
}
