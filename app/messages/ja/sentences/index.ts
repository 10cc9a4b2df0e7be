import type { Sentences } from "@/lib/client/text/sentences";
import agent from "./agent.json";
import client from "./client.json";
import library from "./library.json";
import mcp from "./mcp.json";
import protocol from "./protocol.json";
import providers from "./providers.json";
import server from "./server.json";
import store from "./store.json";

/** What the server and the rooms around it say to people, by the room that says it; `library` is what zod says of a wrong field. */
export const sentences: Sentences = {
  ...library,
  ...protocol,
  ...client,
  ...store,
  ...agent,
  ...providers,
  ...mcp,
  ...server,
};
