import { mapTurn } from "@/lib/agent/map-turn";
import type { Provider } from "@/lib/agent/ports";
import type { Spent } from "@/lib/agent/spent";

/** Counts what a model streams; the application counts the chunks of its log. */
export const countSpent = (provider: Provider, spent: Spent): Provider =>
  mapTurn(provider, (chunk) => {
    spent.add(chunk);
    return chunk;
  });
