import { createHash } from "node:crypto";

const maxLength = 64;
const hashLength = 12;

/**
 * The name by which a model calls a tool: `server__tool` in characters that every model takes (`a-z A-Z 0-9 _ -`), at
 * most 64. Where that would be ambiguous, a hash of both names is added; so the name of a tool does not depend on what
 * other servers offer, and never changes.
 */
export function qualifyName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  if (isUnambiguous(server, tool) && plain.length <= maxLength) return plain;
  const hash = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, hashLength);
  return `${makeSafe(plain).slice(0, maxLength - hashLength - 1)}_${hash}`;
}

/** Whether the server can have a tool of this qualified name: true for all tools that it has. */
export function mayOffer(server: string, qualifiedName: string): boolean {
  return qualifiedName.startsWith(makeSafe(`${server}__`).slice(0, maxLength - hashLength - 1));
}

const makeSafe = (name: string) => name.replace(/[^a-zA-Z0-9_-]/gu, "_").replace(/^(?![a-zA-Z_])/, "_");

/** Tools of ours are called `meguri__…`, and none of them ends like a hash. */
const ownServer = "meguri";

/** The first `__` ends the server's name, and the tool's name does not end like a hash. */
function isUnambiguous(server: string, tool: string): boolean {
  return (
    server !== ownServer &&
    /^[a-zA-Z][a-zA-Z0-9_-]*$/.test(server) &&
    !server.includes("__") &&
    !server.endsWith("_") &&
    /^[a-zA-Z0-9_-]+$/.test(tool) &&
    !/_[0-9a-f]{12}$/.test(tool)
  );
}
