import type { Provider, Turn } from "@/lib/agent/ports";

const requests = Symbol("requests");

/** A turn that carries how many requests may still be made for it; what wraps a provider copies it with the rest. */
interface LimitedTurn extends Turn {
  [requests]?: { left: number };
}

/** Whatever below asks again for a turn, together it asks at most this often. */
export const limitRequests = (provider: Provider, most: number): Provider => ({
  stream: (turn) => provider.stream({ ...turn, [requests]: { left: most } } as LimitedTurn),
});

/** One request of this turn is being made. */
export function countRequest(turn: LimitedTurn): void {
  if (turn[requests]) turn[requests].left--;
}

export const mayAskAgain = (turn: LimitedTurn): boolean => (turn[requests]?.left ?? 1) > 0;
