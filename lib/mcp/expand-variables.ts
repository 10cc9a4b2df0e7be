import { McpConfigError } from "./types";

export interface Variables {
  env: Readonly<Record<string, string | undefined>>;
  /** Names that are never expanded. */
  reserved: readonly string[];
  /** What `${workspaceFolder}` stands for, as in VS Code. */
  root: string;
  /** What `${dataFolder}` stands for. */
  dataDir: string;
}

const pattern = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*|input:[^}]*)(?::-([^}]*))?\}/g;

/** Puts in `${env:NAME}`, `${NAME}` and `${NAME:-otherwise}`; throws `McpConfigError` for a name that is not set or not ours to give. */
export function expandVariables(
  text: string,
  field: string,
  { env, reserved, root, dataDir }: Variables,
): string {
  return text.replace(pattern, (_match, name: string, otherwise: string | undefined) => {
    if (name === "workspaceFolder") return root;
    if (name === "dataFolder") return dataDir;
    if (name.startsWith("input:"))
      throw refuse(
        field,
        `asks for the input "${name.slice(6)}", which is not supported; write the value or \${env:NAME}.`,
      );
    if (reserved.includes(name))
      throw refuse(
        field,
        `names ${name}, which belongs to this application and is not handed on; use a variable of your own.`,
      );
    const value = (Object.hasOwn(env, name) ? env[name] : undefined) || otherwise;
    if (value === undefined)
      throw refuse(
        field,
        `names the environment variable ${name}, which is not set; set it and start again.`,
      );
    return value;
  });
}

/** Whether the text is nothing but a reference: then there is no secret in it. */
export function isReference(text: string): boolean {
  return text !== "" && text.replace(pattern, "") === "";
}

const refuse = (field: string, why: string) => new McpConfigError("invalid", `${field} ${why}`, field);
