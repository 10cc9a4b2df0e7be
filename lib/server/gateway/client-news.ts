import { hash } from "node:crypto";
import type { News, OfferPart } from "@/lib/mcp/gateway/offer";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import { canonicalJson } from "@/lib/protocol/canonical-json";
import type { Hint } from "@/lib/protocol/hints";
import type { AgentFolderWatch } from "@/lib/server/agents/agent-folder-watch";
import type { BaseDeps } from "@/lib/server/base-deps";
import { hasScope, type Person } from "@/lib/server/http/guard";
import type { GatewaySessionRow } from "@/lib/store/kept-ports";
import type { OfferedLibrary } from "./offered-library";
import type { OfferedToolbox } from "./offered-toolbox";

export type NewsDeps = Pick<BaseDeps, "store"> & {
  pool: Pick<McpPool, "onChange">;
  agentFolder: Pick<AgentFolderWatch, "onChange">;
  log: Pick<BaseDeps["log"], "warn">;
};

interface Told {
  person: Person;
  session: GatewaySessionRow;
  library: OfferedLibrary;
  toolbox: OfferedToolbox;
}

/** Tells a client of what is new for it, until the signal fires. */
export function tellNews(
  deps: NewsDeps,
  { person, session, library, toolbox }: Told,
  listener: (news: News) => void,
  signal: AbortSignal,
): void {
  const read = (): Record<OfferPart, string> => ({
    tools: digest(toolbox.listed()),
    prompts: digest(library.prompts()),
    resources: digest([library.resources(), library.templates()]),
  });
  let told = read();
  const unlisten = deps.pool.onChange((people) => {
    if (people && !people.has(person.id)) return;
    const before = told;
    told = read();
    for (const changed of offerParts) if (told[changed] !== before[changed]) listener({ changed });
  });
  const watched = new WatchedResources(library, (uri) => listener({ updated: uri }));
  watched.set(session.watched);
  const unsubscribe = deps.store.bus.subscribe(`session:${session.id}`, (about) => {
    if (about !== "watched") listener({ changed: "tools" });
    else void watchAgain(deps, session, watched);
  });
  const unfollow = tellOfAgents(deps, { person, toolbox }, () => listener({ changed: "tools" }));
  const end = () => {
    unlisten();
    unsubscribe();
    unfollow();
    watched.close();
  };
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
}

/** Tells of agents that are tools, or none any more, by a setting or by their files; returns how to end that. */
function tellOfAgents(
  { store, agentFolder, log }: NewsDeps,
  { person, toolbox }: Pick<Told, "person" | "toolbox">,
  onChange: () => void,
): () => void {
  if (!hasScope(person, "chat")) return () => {};
  const read = async () => digest(await toolbox.agents());
  const failed = (err: unknown) => log.warn({ err }, "which agents are tools could not be read");
  let told: string | undefined;
  const look = async (isFirst: boolean) => {
    const now = await read();
    if (!isFirst && now !== told) onChange();
    told = now;
  };
  let looking = look(true).catch(failed);
  /** However often they change meanwhile, the next look sees all of it. */
  let isAsked = false;
  const lookAgain = () => {
    if (isAsked) return;
    isAsked = true;
    looking = looking.then(() => {
      isAsked = false;
      return look(false).catch(failed);
    });
  };
  const unfollow = agentFolder.onChange(lookAgain);
  const unsubscribe = store.bus.subscribe(`user:${person.id}`, (about) => {
    if (about === ("settings" satisfies Hint)) lookAgain();
  });
  return () => {
    unfollow();
    unsubscribe();
  };
}

/** Thousands may be told at once, and each remembers what it was told last. */
const digest = (value: unknown): string => hash("sha1", canonicalJson(value), "base64url");

const offerParts: readonly OfferPart[] = ["tools", "prompts", "resources"];

async function watchAgain(
  { store, log }: NewsDeps,
  { id }: GatewaySessionRow,
  watched: WatchedResources,
): Promise<void> {
  try {
    watched.set((await store.gatewaySessions.get(id))?.watched);
  } catch (err) {
    log.warn({ err }, "which resources a client watches could not be read");
  }
}

/** The resources of which one client is told while its stream is open. */
class WatchedResources {
  private readonly open = new Map<string, AbortController>();
  private isClosed = false;

  constructor(
    private readonly library: Pick<OfferedLibrary, "watch">,
    private readonly onUpdate: (uri: string) => void,
  ) {}

  set(uris: readonly string[] = []): void {
    if (this.isClosed) return;
    for (const [uri, watch] of this.open) if (!uris.includes(uri)) this.end(uri, watch);
    for (const uri of uris) if (!this.open.has(uri)) this.begin(uri);
  }

  close(): void {
    this.isClosed = true;
    for (const [uri, watch] of this.open) this.end(uri, watch);
  }

  private begin(uri: string): void {
    const watch = new AbortController();
    this.open.set(uri, watch);
    this.library
      .watch(uri, watch.signal, () => this.onUpdate(uri))
      // Its server has gone, or tells of no changes any more.
      .catch(() => this.open.get(uri) === watch && this.open.delete(uri));
  }

  private end(uri: string, watch: AbortController): void {
    this.open.delete(uri);
    watch.abort();
  }
}
