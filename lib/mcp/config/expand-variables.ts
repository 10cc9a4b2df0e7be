import { McpConfigError } from "./config-fault";

/** The secrets that are stored, for each server separately: an entry cannot refer to those of another server. */
export interface SecretMemory {
  /** `place`: the origin that a person's values are bound to; they count at no other one. */
  names(server: string, place?: string): string[];
  get(server: string, name: string, place?: string): string | undefined;
  /** Deletes all secrets of a server. */
  forget(server: string): Promise<void>;
}

export interface Variables {
  /** What the entry sets in its own `env`; it takes precedence over the variables of this process. */
  own?: Readonly<Record<string, string>> | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Names that are never expanded. */
  reserved: readonly string[];
  /** The value of `${workspaceFolder}`, as in VS Code. */
  root: string;
  /** The value of `${dataFolder}`. */
  dataDir: string;
  /** The value of `${secret:NAME}`; undefined for a secret that is not stored. */
  secret?: ((name: string) => string | undefined) | undefined;
}

/** An unclosed reference is read up to the next `${` and only once; otherwise a hostile text would take quadratic time. */
const inside = /(?:[^}$]|\$(?!\{))*/.source;
const pattern = new RegExp(
  `\\$\\{(?:((?:input|secret):${inside})|(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(${inside}))?)\\}`,
  "g",
);

/**
 * Replaces `${secret:NAME}`, `${env:NAME}`, `${NAME}` and `${NAME:-default}`; throws `McpConfigError` for a name that is
 * not set or is reserved.
 */
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

/** Names of the environment variables that the text refers to. */
export const referredVariables = (text: string): string[] =>
  [...text.matchAll(pattern)].flatMap(([, kept, variable]) =>
    kept || !variable || variable === "workspaceFolder" || variable === "dataFolder" ? [] : [variable],
  );

/** Replaces everything in the text but its references, and also their defaults, with `by`. */
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

/** Replaces the defaults of the references in the text. */
export function replaceOtherwise(text: string, by: string): string {
  return text.replace(pattern, (reference, _kept, _variable, otherwise?: string) =>
    otherwise ? `${reference.slice(0, -otherwise.length - 1)}${by}}` : reference,
  );
}

/** Whether the text is only a reference, possibly after the scheme of a token: then it holds no secret. */
export function isReference(text: string): boolean {
  const value = text.replace(/^(?:Bearer|Basic|Token)\s+/i, "");
  return value !== "" && value.replace(pattern, "") === "";
}

const refuse = (field: string, message: string) => new McpConfigError("invalid", message, field);
