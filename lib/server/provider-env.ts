import { z } from "zod";
import { providerTable } from "@/lib/providers/provider-table";
import type { AccessByProvider } from "@/lib/providers/types";
import { StartError } from "./env";

/** What the environment says of providers, by the name of the variable. */
export type ProviderEnv = Readonly<Partial<Record<string, string>>>;

const text = z.string().trim().min(1).optional();
const url = z.url({ protocol: /^https?$/, error: "must be a http:// or https:// address" }).optional();

const schema: z.ZodObject<Record<string, typeof text | typeof url>> = z.object(
  Object.fromEntries(
    providerTable.flatMap(({ keyVariables, addressVariables }) => [
      ...keyVariables.map((name) => [name, text] as const),
      ...addressVariables.map(({ name, bare }) => [name, bare ? text : url] as const),
    ]),
  ),
);

/** Never expanded in MCP files and never handed to a child process, as our own. */
export const providerVariables: readonly string[] = Object.keys(schema.shape);

/** An empty string counts as not set; throws `StartError` that names the variable and what it wants. */
export function readProviderEnv(source: Readonly<Record<string, string | undefined>>): ProviderEnv {
  const set = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(set);
  if (parsed.success) return parsed.data as ProviderEnv;
  const [issue] = parsed.error.issues;
  throw new StartError(`${issue?.path.join(".")} ${issue?.message}.`);
}

/** Of each provider the first key and the first address that are set. */
export function accessOf(env: ProviderEnv): AccessByProvider {
  const access = providerTable.map(({ id, keyVariables, addressVariables }) => {
    const apiKey = keyVariables.map((name) => env[name]).find((value) => value !== undefined);
    const found = addressVariables.find(({ name }) => env[name] !== undefined);
    const address = found && env[found.name];
    const baseURL = address && found.bare && !/^https?:/.test(address) ? `http://${address}` : address;
    return [id, { ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) }] as const;
  });
  return Object.fromEntries(access);
}

/** Every key, in force or not. */
export const keysIn = (env: ProviderEnv): string[] =>
  providerTable.flatMap(({ keyVariables }) => keyVariables.flatMap((name) => env[name] ?? []));
