import { McpConfigError } from "./config-fault";

/** Secrets that are kept for each server apart: what one entry names, no other can. */
export interface SecretMemory {
  names(server: string): string[];
  get(server: string, name: string): string | undefined;
  /** All of a server that is removed. */
  forget(server: string): Promise<void>;
}

export interface Variables {
  /** What the entry itself sets in its `env`; it comes before the variables of this process. */
  own?: Readonly<Record<string, string>> | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Names that are never expanded. */
  reserved: readonly string[];
  /** What `${workspaceFolder}` stands for, as in VS Code. */
  root: string;
  /** What `${dataFolder}` stands for. */
  dataDir: string;
  /** What `${secret:NAME}` stands for; undefined where none is stored. */
  secret?: ((name: string) => string | undefined) | undefined;
}

/** What is not closed is read up to the next beginning and no further, and only once, or a hostile text would take for ever. */
const inside = /(?:[^}$]|\$(?!\{))*/.source;
const pattern = new RegExp(
  `\\$\\{(?:((?:input|secret):${inside})|(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(${inside}))?)\\}`,
  "g",
);

/** Puts in `${secret:NAME}`, `${env:NAME}`, `${NAME}` and `${NAME:-otherwise}`; throws `McpConfigError` for a name that is not set or not ours to give. */
export function expandVariables(
  text: string,
  field: string,
  { own, env, reserved, root, dataDir, secret }: Variables,
): string {
  return text.replace(pattern, (_match, kept: string | undefined, variable: string, otherwise?: string) => {
    const name = kept ?? variable;
    if (name === "workspaceFolder") return root;
    if (name === "dataFolder") return dataDir;
    if (name.startsWith("secret:")) return requireSecret(name.slice(7), field, secret);
    if (name.startsWith("input:"))
      throw refuse(
        field,
        `${field} asks for the input "${name.slice(6)}", which is not supported; write the value or \${env:NAME}.`,
      );
    const isOwn = own !== undefined && Object.hasOwn(own, name);
    if (!isOwn && reserved.includes(name))
      throw refuse(
        field,
        `${field} names ${name}, which belongs to this application and is not handed on; use a variable of your own.`,
      );
    const given = isOwn ? own : env;
    const value = (Object.hasOwn(given, name) ? given[name] : undefined) || otherwise;
    if (value === undefined)
      throw refuse(
        field,
        `${field} names the environment variable ${name}, which is not set; set it and start again.`,
      );
    return value;
  });
}

function requireSecret(name: string, field: string, secret: Variables["secret"]): string {
  const value = secret?.(name);
  if (value === undefined)
    throw refuse(
      field,
      `${field} names the secret ${name}, which is not stored; enter it under Secrets of this server.`,
    );
  return value;
}

/** Names of environment variables that would be put into the text. */
export const referredVariables = (text: string): string[] =>
  [...text.matchAll(pattern)].flatMap(([, kept, variable]) =>
    kept || !variable || variable === "workspaceFolder" || variable === "dataFolder" ? [] : [variable],
  );

/** The text with `by` in place of everything but its references, and of what they fall back on. */
export function hideLiterals(text: string, by: string): string {
  let shown = "";
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    if (found.index > end) shown += by;
    shown += replaceOtherwise(found[0], by);
    end = found.index + found[0].length;
  }
  return end < text.length ? shown + by : shown;
}

/** The text with something else in place of what its references fall back on. */
export function replaceOtherwise(text: string, by: string): string {
  return text.replace(pattern, (reference, _kept, _variable, otherwise?: string) =>
    otherwise ? `${reference.slice(0, -otherwise.length - 1)}${by}}` : reference,
  );
}

/** Whether the text is nothing but a reference, as a header after its scheme: then there is no secret in it. */
export function isReference(text: string): boolean {
  const value = text.replace(/^(?:Bearer|Basic|Token)\s+/i, "");
  return value !== "" && value.replace(pattern, "") === "";
}

const refuse = (field: string, message: string) => new McpConfigError("invalid", message, field);
