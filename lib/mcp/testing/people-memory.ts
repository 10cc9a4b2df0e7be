import type { PeopleMemory } from "@/lib/mcp/mcp-pool";
import { TestLoginMemory } from "./login-memory";

/** People who keep nothing: members, unless told. */
export const peopleMemory = (more: Partial<PeopleMemory> = {}): PeopleMemory => ({
  logins: () => new TestLoginMemory(),
  secrets: () => ({ names: () => [], get: () => undefined, forget: async () => {} }),
  servers: () => new Map(),
  owners: () => [],
  role: () => "member",
  forgetOf: async () => {},
  forget: async () => {},
  ...more,
});
