import ipaddr from "ipaddr.js";

/** Where an address is: on the public internet, in our own network, or one that must never be called. */
export type Reach = "public" | "private" | "never";

const ownNetwork: readonly string[] = ["loopback", "private", "uniqueLocal", "carrierGradeNat"];

/** `address` as a resolver returns it, IPv4 or IPv6; IPv4 inside IPv6 counts as IPv4. */
export function reachOf(address: string): Reach {
  if (!ipaddr.isValid(address)) return "never";
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (ownNetwork.includes(range)) return "private";
  if (range !== "unicast") return "never";
  // Only 2000::/3 of IPv6 is allocated; the rest of "unicast" belongs to nobody.
  const isGlobal = parsed.kind() === "ipv4" || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
  return isGlobal ? "public" : "never";
}

/** Whether the host of the URL, as it is written, is localhost or an address of a private network. */
export function isOwnNetwork({ hostname }: URL): boolean {
  return hostname === "localhost" || reachOf(hostname.replace(/^\[|\]$/g, "")) === "private";
}
