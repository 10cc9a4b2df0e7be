import { BlockList, isIP } from "node:net";

/** Where `scripts/http-server.mjs` writes who is at the other end of the connection; what a client sends by this name is dropped. */
const peerHeader = "x-meguri-peer";

/** Proxies that are believed when they say for whom they ask. Null: one of them is no address or network. */
export function toTrusted(list: readonly string[]): BlockList | null {
  const trusted = new BlockList();
  for (const entry of list) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address);
    const all = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? all : Number(bits);
    if (family === 0 || bits === "" || !Number.isInteger(prefix) || prefix < 0 || prefix > all) return null;
    trusted.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  }
  return trusted;
}

/**
 * The network address of a request: of the connection, or, where that is a proxy of ours, the last one in `X-Forwarded-For`
 * that is none. What stands before that anybody may have written. Null where it is not known, as in a test of a route alone.
 */
export function addressOf(headers: Headers, trusted: BlockList): string | null {
  let address = plain(headers.get(peerHeader) ?? "");
  const passedOn = (headers.get("x-forwarded-for") ?? "").split(",");
  while (address !== null && trusted.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")) {
    const before = plain(passedOn.pop()?.trim() ?? "");
    if (before === null) break;
    address = before;
  }
  return address;
}

/** IPv4 as it is written, also where a socket of both families has it. */
function plain(text: string): string | null {
  const address = text.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  return isIP(address) === 0 ? null : address;
}
