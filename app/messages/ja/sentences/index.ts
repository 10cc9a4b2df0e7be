import type { Sentences } from "@/lib/client/sentences";
import agent from "./agent.json";
import library from "./library.json";
import mcp from "./mcp.json";
import providers from "./providers.json";
import server from "./server.json";
import store from "./store.json";

/** What the server says to people, by the room that says it; `library` is what zod says of a wrong field. */
export const sentences: Sentences = { ...library, ...store, ...agent, ...providers, ...mcp, ...server };
