import { basename } from "node:path";

/** `meguri` is the command of the package; a clone has npm's scripts. */
const isPackage = /^meguri(\.mjs)?$/.test(basename(process.argv[1] ?? ""));

/** How a person starts Meguri here. */
export const startCommand = () => (isPackage ? "meguri" : "npm start");

/** How a person calls `name` here, with what stands behind it. */
export const commandLine = (name, rest = "") =>
  isPackage ? `meguri ${name} ${rest}`.trimEnd() : `npm run ${name}${rest && ` -- ${rest}`}`;
