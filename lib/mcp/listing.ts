import type { Connection } from "./connection";

/** What a server has said of itself when it was last asked; outlives the connection while the server sleeps. */
export type Listing = Pick<Connection, "tools" | "library" | "instructions" | "era" | "protocolVersion">;

export function keepListing({ tools, library, instructions, era, protocolVersion }: Connection): Listing {
  return { tools, library, instructions, era, protocolVersion };
}
