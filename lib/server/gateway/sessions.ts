import { randomBytes } from "node:crypto";
import { z } from "zod";
import { agreedRevision } from "@/lib/mcp/gateway/revisions";
import type { BaseDeps } from "@/lib/server/base-deps";
import { HttpError } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import type { FoundGatewaySession, GatewaySessionRow } from "@/lib/store/kept-ports";

export const sessionHeader = "mcp-session-id";

/** Of one person; a client that does not end its sessions begins one with each start. */
const maxSessions = 1_000;
/** It is written now and then only. */
const noteUsedMs = 5 * 60_000;
/** Of what a client can do, as JSON; of more nothing is kept. */
const maxCapabilities = 4_000;

type SessionDeps = Pick<BaseDeps, "store"> & { log: Pick<BaseDeps["log"], "warn"> };

const words = (max: number) => z.string().transform((text) => text.slice(0, max));

/** What a client says first; anything else of it is the SDK's matter. */
const Initialize = z.looseObject({
  method: z.literal("initialize"),
  params: z.looseObject({
    protocolVersion: words(100),
    capabilities: z.record(z.string(), z.unknown()),
    clientInfo: z.looseObject({ name: words(200), version: words(100), title: words(200).exactOptional() }),
  }),
});

/** The session that begins with this message; undefined where it is no beginning, or a broken one. */
export async function beginSession(
  { store }: SessionDeps,
  person: Person,
  message: unknown,
): Promise<FoundGatewaySession | undefined> {
  const { data } = Initialize.safeParse(message);
  if (!data) return undefined;
  const { protocolVersion, capabilities, clientInfo } = data.params;
  const { name, version, title } = clientInfo;
  const now = Date.now();
  const row: GatewaySessionRow = {
    ...{ id: randomBytes(24).toString("base64url"), userId: person.id, tokenId: person.token?.id ?? null },
    client: { name, version, ...(title !== undefined && { title }) },
    protocol: agreedRevision(protocolVersion),
    capabilities: JSON.stringify(capabilities).length > maxCapabilities ? {} : capabilities,
    ...{ conversationId: null, createdAt: now, lastSeenAt: now },
  };
  await store.gatewaySessions.add(row, maxSessions);
  return { ...row, hasWaiting: false };
}

/** The session that a request names, if it is this person's and was begun with the same token. */
export async function findSession(
  { store, log }: SessionDeps,
  person: Person,
  request: Pick<Request, "headers">,
): Promise<FoundGatewaySession> {
  const id = request.headers.get(sessionHeader);
  if (!id)
    throw new HttpError(
      400,
      "invalid_input",
      "Mcp-Session-Id: send the id that was given in the answer to initialize.",
    );
  const row = await store.gatewaySessions.get(id);
  if (!row || row.userId !== person.id || row.tokenId !== (person.token?.id ?? null)) throw noSession();
  const now = Date.now();
  if (now - row.lastSeenAt > noteUsedMs)
    store.gatewaySessions
      .noteUsed(id, now)
      .catch((err) => log.warn({ err }, "when a session of a client was used was not written"));
  return row;
}

const noSession = () =>
  new HttpError(404, "no_session", "There is no such session; begin a new one with initialize.");
