import type { z } from "zod";
import { importServers, type Understood, type UnderstoodServer } from "@/lib/mcp/config/import";
import { assertEntry } from "@/lib/mcp/config/parse-config";
import type { McpImport } from "@/lib/protocol/mcp-file";
import type { ServerBody } from "@/lib/server/contract/servers";
import { HttpError } from "@/lib/server/http/errors";
import { translateConfigError } from "./config-errors";
import { addOwnServers, checkOwnServers, type OwnDeps } from "./own-servers";
import { changeSecrets, type ServerDeps } from "./servers";

/** Understands `{name, config}` and every pasted form; with `preview` nothing is written. Starts nothing either way. */
export async function addServers(
  deps: OwnDeps,
  { body, userId, own }: Adding,
  preview: boolean,
): Promise<McpImport> {
  return translateConfigError(async () => {
    const { form, servers, notes } = understand(body);
    const { only, secrets } = optionsOf(body);
    if (own) checkOwnServers(only ? servers.filter(({ name }) => only.includes(name)) : servers);
    const exists = new Set(deps.pool.list().items.map(({ name }) => name));
    const answer: McpImport = {
      form,
      servers: servers.map((one) => showServer(one, exists.has(one.name))),
      notes,
    };
    if (preview) return answer;
    const wanted = pick(servers, only);
    if (own) await addOwnServers(deps, userId, wanted);
    else await deps.pool.file.add(Object.fromEntries(wanted.map(({ name, config }) => [name, config])));
    // What an earlier server of this name had is not for this one; one that was approved before is started again with its own.
    for (const server of wanted) {
      if (!own) await forgetSecrets(deps, server.name);
      await store(deps, { server, userId }, secrets?.[server.name] ?? {});
    }
    return answer;
  });
}

type Body = z.output<typeof ServerBody>;

interface Adding {
  body: Body;
  userId: string;
  /** Nobody else is to have them. */
  own: boolean;
}

function understand(body: Body): Understood {
  const { encrypt } = optionsOf(body);
  const hiding = encrypt === undefined ? "none" : encrypt ? "clear" : "placeholders";
  if ("text" in body && typeof body.text === "string") return importServers(body.text, hiding);
  if ("name" in body && "config" in body && typeof body.name === "string") {
    // What other hosts write is put right where it is pasted, and nowhere else.
    assertEntry(body.name, body.config);
    return importServers(JSON.stringify({ mcpServers: { [body.name]: body.config } }), hiding);
  }
  return importServers(JSON.stringify(body));
}

/** A file has no options, also where it has fields of these names. */
function optionsOf(body: Body): Options {
  const isFile = !("text" in body && typeof body.text === "string") && !("config" in body && "name" in body);
  return isFile ? {} : (body as Options);
}

interface Options {
  encrypt?: boolean;
  secrets?: Record<string, Record<string, string>>;
  only?: string[];
}

const showServer = (
  { name, config, secrets }: UnderstoodServer,
  exists: boolean,
): McpImport["servers"][number] => ({
  name,
  config,
  exists,
  secrets: secrets.map(({ value, ...secret }) => ({ ...secret, found: value !== undefined })),
});

function pick(servers: readonly UnderstoodServer[], only: readonly string[] | undefined): UnderstoodServer[] {
  const wanted = only ? servers.filter(({ name }) => only.includes(name)) : [...servers];
  if (wanted.length === 0) throw new HttpError(400, "invalid_input", "only: none of these servers is in it.");
  return wanted;
}

async function forgetSecrets(deps: ServerDeps, name: string): Promise<void> {
  await deps.serverSecrets.forget(name);
  await deps.peopleSecrets?.forget(name);
}

async function store(
  deps: ServerDeps,
  { server: { name, secrets }, userId }: { server: UnderstoodServer; userId: string },
  entered: Record<string, string>,
): Promise<void> {
  const values = secrets.flatMap(({ name: secret, value }) => {
    const given = (Object.hasOwn(entered, secret) && entered[secret]) || value;
    return given ? [[secret, given] as const] : [];
  });
  if (values.length > 0) await changeSecrets(deps, { name, userId }, Object.fromEntries(values));
}
