import { flushCompileCache } from "node:module";
import { openStoreOn } from "@/lib/store/open-store";
import { openSqliteEngine } from "@/lib/store/sqlite-engine";

// A process that opens a store, and is dead after the step of an upgrade that it is given.
const [dataDir = "", fatal = ""] = process.argv.slice(2);
// Else what was compiled dies with it.
flushCompileCache();
const onStep = (step: string) => {
  if (step === fatal) process.kill(process.pid, "SIGKILL");
};
const store = await openStoreOn(await openSqliteEngine(dataDir, { onStep }));
await store.close();
