import { type Logger, pino } from "pino";
import type { Secrets } from "@/lib/server/secrets";
import { openStore } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";

/** Opens the stored data under this APP_SECRET as a start does, and closes it; gives the warnings that were logged. */
export async function startWith(
  dataDir: string,
  appSecret: string,
  act: (deps: { store: Store; secrets: Secrets; log: Logger }) => Promise<void>,
): Promise<string[]> {
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const store = await openStore({ dataDir });
  try {
    await act({ store, secrets: { appSecret, launchToken: "" }, log });
  } finally {
    await store.close();
  }
  return lines;
}
