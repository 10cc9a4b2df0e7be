import { errorCodes, GatewayError, type McpAnswer, type Offer } from "@/lib/mcp/gateway/offer";
import type { Person } from "@/lib/server/http/guard";
import { version } from "@/lib/server/version";
import type { FoundGatewaySession, GatewaySessionRow } from "@/lib/store/kept-ports";
import { type NewsDeps, tellNews } from "./client-news";
import type { Exchanges } from "./exchanges";
import { type LibraryDeps, OfferedLibrary } from "./offered-library";
import { OfferedToolbox, type ToolboxDeps } from "./offered-toolbox";

export type OfferDeps = ToolboxDeps & LibraryDeps & NewsDeps & { exchanges: Pick<Exchanges, "calls"> };

/** Resources whose changes one session is told of. */
const maxWatched = 50;

/** What one client is offered, as long as one request of it is answered. */
export function offerTo(deps: OfferDeps, person: Person, session: FoundGatewaySession): Offer {
  const { servers, names } = person.token ?? {};
  const reach = { servers, names };
  const library = new OfferedLibrary(deps, reach);
  const toolbox = new OfferedToolbox(deps, { person, session, reach });
  return {
    version,
    instructions: () => instructionsOf(deps, servers),
    tools: () => toolbox.list(),
    call: (called, follow) => counted(deps, () => toolbox.call(called, follow)),
    prompts: () => library.prompts(),
    prompt: (name, args, signal) => library.prompt(name, args, signal),
    resources: () => library.resources(),
    templates: () => library.templates(),
    resource: (uri, signal) => library.resource(uri, signal),
    complete: (asked, signal) => library.complete(asked, signal),
    ...wishesOf(deps, session, library),
    onNews: (listener, signal) => tellNews(deps, { person, session, library, toolbox }, listener, signal),
  };
}

async function counted(
  { exchanges: { calls } }: Pick<OfferDeps, "exchanges">,
  call: () => Promise<McpAnswer>,
): Promise<McpAnswer> {
  try {
    const answer = await call();
    calls[answer.isError ? "error" : "ok"]++;
    return answer;
  } catch (cause) {
    calls.refused++;
    throw cause;
  }
}

/** What is kept of a session, for whichever instance answers its next request. */
function wishesOf(
  { store }: Pick<OfferDeps, "store">,
  { id, logLevel }: GatewaySessionRow,
  library: OfferedLibrary,
): Pick<Offer, "logLevel" | "setLogLevel" | "watch" | "unwatch"> {
  const setWatched = async (change: (watched: readonly string[]) => readonly string[]) => {
    await store.gatewaySessions.change(id, ({ watched = [], ...others }) => ({
      ...others,
      watched: change(watched),
    }));
    store.bus.publish(`session:${id}`, "watched");
  };
  return {
    logLevel,
    setLogLevel: (level) => store.gatewaySessions.change(id, (wishes) => ({ ...wishes, logLevel: level })),
    async watch(uri, signal) {
      await library.checkWatch(uri, signal);
      await setWatched((watched) => {
        if (watched.includes(uri)) return watched;
        if (watched.length >= maxWatched)
          throw new GatewayError(
            errorCodes.invalidParams,
            `uri: at most ${maxWatched} resources are watched in one session; unsubscribe from another one first.`,
          );
        return [...watched, uri];
      });
    },
    unwatch: (uri) => setWatched((watched) => watched.filter((each) => each !== uri)),
  };
}

/** Of each server that it was given, under its name. */
function instructionsOf({ pool }: Pick<OfferDeps, "pool">, servers: readonly string[] | undefined): string {
  const all = pool.instructions(servers);
  return all.map(({ server, text }) => (all.length > 1 ? `# ${server}\n\n${text}` : text)).join("\n\n");
}
