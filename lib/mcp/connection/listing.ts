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

/** What a server has said of itself when it was last asked; outlives the connection while the server sleeps or comes back. */
export type Listing = Pick<Connection, ListedField>;

export function keepListing(connection: Connection): Listing {
  const { tools, faults, library, instructions, about, era, protocolVersion } = connection;
  // Fetched from where the server said, not from the server.
  const icon: Listing["icon"] = (guard) => connection.icon(guard);
  return { tools, faults, library, instructions, about, era, protocolVersion, icon };
}
