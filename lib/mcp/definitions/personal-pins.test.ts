import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTool, type ServerTool } from "@/lib/mcp/connection/server-tool";
import { LockInFile } from "./lock-in-file";
import { PersonalPins } from "./personal-pins";
import { Pins } from "./pins";

const tool = (description: string) =>
  readTool({ name: "look", description, inputSchema: { type: "object" } }) as ServerTool;

test("what one person has accepted is read by no other, and what is blocked for all is blocked for each", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pins-"));
  const inFile = (name: string) => new LockInFile(join(folder, `${name}.lock.json`), () => {});
  const ofAll = new Pins(inFile("all"));
  const division = { ofAll, isPersonal: (server: string) => server === "crm" };
  const [ben, cleo] = ["ben", "cleo"].map(
    (name) => new PersonalPins(inFile(join("pins", name)), division),
  ) as [PersonalPins, PersonalPins];
  await ben.pinFirst("crm", [tool("Looks into the diary of Ben.")]);
  await cleo.pinFirst("crm", [tool("Looks into the diary of Cleo.")]);
  expect(cleo.acceptedTool("crm", tool("Another one."))?.description).toBe("Looks into the diary of Cleo.");
  expect(cleo.state("crm", tool("Looks into the diary of Ben."))).toBe("changed");
  expect(ofAll.of("crm").size).toBe(0);
  // Of a shared server nobody pins for themselves.
  await ben.pinFirst("local", [tool("Local.")]);
  expect(ofAll.of("local").size).toBe(0);
  await ofAll.block("crm", tool("Looks into the diary of Ben."));
  expect([ben, cleo].map((pins) => pins.isBlocked("crm", tool("Looks into the diary of Ben.")))).toEqual([
    true,
    true,
  ]);
  await ben.saved();
  const again = new PersonalPins(inFile("pins/ben"), division);
  await again.load();
  expect(again.state("crm", tool("Looks into the diary of Ben."))).toBe("pinned");
});
