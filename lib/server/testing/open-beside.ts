import { onTestFinished } from "vitest";
import { RunCommands } from "@/lib/server/runs/run-commands";
import { openStoreOn } from "@/lib/store/open-store";
import { openPostgresEngine } from "@/lib/store/postgres-engine";
import { placeOf, tempDir } from "@/lib/store/testing/temp-store";
import { openWorld, type Process, type Script, startProcess, type World } from "./world";

/** Two processes on one database of PostgreSQL, each with a store of its own. */
export interface Beside {
  world: World;
  /** Its database. */
  url: string;
  one: Process;
  other: Process;
}

/** Both do what the other asks for. */
export async function openBeside(...script: Script): Promise<Beside> {
  const opened = await openApart(...script);
  for (const deps of [opened.one, opened.other]) {
    const commands = new RunCommands(deps);
    commands.start();
    // One that was killed answers nothing any more.
    onTestFinished(async () => (deps.store.isDead ? undefined : commands.close()));
  }
  return opened;
}

/** Neither does what the other asks for. */
export async function openApart(...script: Script): Promise<Beside> {
  const world = await openWorld(script);
  const { databaseUrl: url } = await placeOf(world.dataDir);
  if (url === undefined) throw new Error("Only instances on PostgreSQL are beside each other.");
  const store = await openStoreOn(await openPostgresEngine({ dataDir: tempDir(), url, isShared: true }));
  onTestFinished(() => store.close());
  return { world, url, one: startProcess(world), other: startProcess({ ...world, store }) };
}
