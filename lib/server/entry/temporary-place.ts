import { isTemporaryId } from "@/lib/protocol/temporary";
import { HttpError } from "@/lib/server/http/errors";
import { temporaryFull } from "@/lib/server/http/store-failure";
import type { Deps } from "./open-deps";

/** What of a request says whether it is about a temporary chat; the body as its route has parsed it. */
interface Asked {
  request: Pick<Request, "method" | "url" | "headers">;
  params: { id?: string };
  body: unknown;
  userId: string;
}

/** Fields of bodies that name a conversation, or do something to one. */
interface AskedBody {
  temporary?: boolean;
  conversationId?: string;
  projectId?: string | null;
  ids?: readonly string[];
  runIds?: readonly string[];
}

/**
 * The adapters that a request works on: those of all conversations, or those of temporary ones, where nothing reaches a disk. Here
 * alone the two are told apart, by the ids that a request names; here as well stands what a temporary chat does not have.
 */
export async function placeOf(deps: Deps, { request, params, body, userId }: Asked): Promise<Deps> {
  const { pathname, searchParams } = new URL(request.url);
  const asked = (body ?? {}) as AskedBody;
  const name = `${request.method} ${pathname}`;
  const isBegun = name === "POST /api/chat" && asked.temporary === true;
  const ids = [
    ...(/^\/api\/(conversations|runs|attachments)\//.test(pathname) ? [params.id ?? ""] : []),
    ...(name === "POST /api/chat" ? [asked.conversationId ?? ""] : []),
    ...(name === "POST /api/conversations/batch" ? (asked.ids ?? []) : []),
    ...(name === "POST /api/matrix" ? (asked.runIds ?? []) : []),
    ...(/^GET \/api\/(search|runs)$/.test(name) ? [searchParams.get("conversation") ?? ""] : []),
    ...(name === "GET /api/runs/compare" ? (searchParams.get("ids")?.split(",") ?? []) : []),
    ...(name === "GET /api/export" ? (searchParams.get("ids")?.split(",") ?? []) : []),
  ];
  const id = ids.find(isTemporaryId);
  const begins = isBegun || (name === "POST /api/attachments" && isMarked(request));
  if (id === undefined && !begins) return deps;
  if (begins) checkBeginning(asked);
  checkHas(name, asked);
  if (begins && deps.store.members.hasOthers) throw notHere();
  const space = id === undefined ? await deps.temporary.begin(userId) : await deps.temporary.find(userId, id);
  if (!space) throw ended();
  if (space.room.isFull && /^POST \/api\/(chat|.*\/(messages|fork|rerun))$/.test(name)) throw temporaryFull();
  return space.deps;
}

/** The next request may come to another instance, which has no memory of it. */
const notHere = () =>
  new HttpError(
    422,
    "not_supported",
    "There are no temporary chats where Meguri runs as several instances, as each would be in the memory of one of them; ask in a chat that is kept, and delete it afterwards.",
  );

/** A file that is uploaded before the first message. */
function isMarked({ headers }: Asked["request"]): boolean {
  const mark = headers.get("x-temporary");
  if (mark !== null && mark !== "true")
    throw new HttpError(
      400,
      "invalid_input",
      "X-Temporary: must be true, or left out for a file that is kept.",
    );
  return mark !== null;
}

function checkBeginning({ conversationId }: AskedBody): void {
  if (conversationId !== undefined && !isTemporaryId(conversationId))
    throw new HttpError(
      409,
      "temporary",
      "conversationId: this conversation is kept already; leave it out to begin a temporary chat.",
    );
}

const keptOnly: readonly [RegExp, string][] = [
  [
    /\/shares(\/file)?$/,
    "A temporary chat cannot be shared, as nothing of it is kept; ask again in a new chat to share it.",
  ],
  [
    /\/(export|events)$/,
    "A temporary chat cannot be exported, as nothing of it is kept; copy what you need out of it.",
  ],
  [
    /\/matrix$/,
    "A matrix is kept, and nothing of a temporary chat is; ask again in a new chat to run it with several models.",
  ],
  [
    /\/batch$/,
    "A temporary chat is in no list and cannot be archived, moved or restored; delete it by itself.",
  ],
];

/** 409 for what a temporary chat does not have. */
function checkHas(name: string, body: AskedBody): void {
  const found = keptOnly.find(([path]) => path.test(name));
  if (found) throw refused(found[1]);
  const field = ["archived", "pinned", "projectId"].find((key) => Object.hasOwn(body, key));
  if (field)
    throw refused(
      `${field}: a temporary chat is in no list, archive or project; leave it out, or ask in a chat that is kept.`,
    );
}

const refused = (message: string) => new HttpError(409, "temporary", message);

const ended = () =>
  new HttpError(
    404,
    "temporary_ended",
    "This temporary chat has ended: it was left for an hour, deleted, or Meguri was started again. Nothing of it was kept; begin a new one.",
  );
