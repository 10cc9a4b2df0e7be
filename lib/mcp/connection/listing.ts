import type { Connection } from "./connection";

type ListedField =
  | "tools"
  | "faults"
  | "library"
  | "instructions"
  | "about"
  | "era"
  | "protocolVersion"
  | "icon";

/** What a server last said about itself; outlives the connection while the server sleeps or reconnects. */
export type Listing = Pick<Connection, ListedField>;

export function keepListing(connection: Connection): Listing {
  const { tools, faults, library, instructions, about, era, protocolVersion } = connection;
  // Fetched from the address that the server gave, so the connection is not needed.
  const icon: Listing["icon"] = (guard) => connection.icon(guard);
  return { tools, faults, library, instructions, about, era, protocolVersion, icon };
}
