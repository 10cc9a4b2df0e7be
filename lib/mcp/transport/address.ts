import ipaddr from "ipaddr.js";

/** What an address is to the guard: anybody's, inside our own network, or nobody's to call. */
export type Reach = "public" | "private" | "never";

const ownNetwork: readonly string[] = ["loopback", "private", "uniqueLocal", "carrierGradeNat"];

/** `address` as a resolver gives it: dotted IPv4 or IPv6, IPv4 inside IPv6 counts as what it is. */
export function reachOf(address: string): Reach {
  if (!ipaddr.isValid(address)) return "never";
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (ownNetwork.includes(range)) return "private";
  if (range !== "unicast") return "never";
  // Of IPv6 only what is handed out (2000::/3); the rest of "unicast" is no one's.
  const isGlobal = parsed.kind() === "ipv4" || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
  return isGlobal ? "public" : "never";
}

/** Whether the address as it is written is inside our own network. */
export function isOwnNetwork({ hostname }: URL): boolean {
  return hostname === "localhost" || reachOf(hostname.replace(/^\[|\]$/g, "")) === "private";
}
