import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Thrown before anything is started. */
export class CommandError extends Error {
  override name = "CommandError";
}

/** Checks that folder and command exist, so that a failed start has a clear reason; returns the path. */
export async function findCommand(command: string, path: string, cwd: string): Promise<string> {
  const folder = await stat(cwd).catch(() => undefined);
  if (!folder?.isDirectory())
    throw new CommandError(`The folder ${cwd} is not there. Correct "cwd" of the server.`);
  if (isAbsolute(command)) {
    if (await isExecutable(command)) return command;
    throw new CommandError(`${command} is not there or cannot be run. Correct "command" of the server.`);
  }
  // On Windows the system adds endings such as .exe, and reports a missing command itself.
  if (process.platform === "win32") return command;
  for (const place of path.split(delimiter).filter(isAbsolute))
    if (await isExecutable(join(place, command))) return join(place, command);
  throw new CommandError(
    `The command "${command}" was not found. Install it, or write its full path as "command" of the server.`,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return false;
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
