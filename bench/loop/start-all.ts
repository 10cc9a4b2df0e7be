import { fileURLToPath } from "node:url";
import { type Child, startChild } from "@/bench/support/child";
import type { ContestantName, Places } from "./contestant";

export type Wire = "http" | "stdio";

/** The model, the MCP server and a contestant in processes of their own. */
export interface Servers {
  model: Child<{ openai: string; gemini: string; claude: string; responses: string }>;
  mcp: Child<string>;
}

export async function startServers(): Promise<Servers> {
  return { model: await startChild("loop/model-server.ts"), mcp: await startChild("loop/mcp-http.ts") };
}

export function startContestant(
  name: ContestantName,
  { model, mcp }: Servers,
  wire: Wire,
): Promise<Child<string>> {
  const address = (which: "few" | "many") =>
    wire === "http" ? { url: `${mcp.ready}/${which}` } : stdioServer(which);
  const places: Places = { ...model.ready, few: address("few"), many: address("many") };
  return startChild("loop/contestant.ts", [name, JSON.stringify(places)], {
    execArgv: ["--expose-gc"],
    quiet: true, // some peers log every failing call
  });
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** As package.json starts the benchmarks, from whatever folder. */
const flags = ["--experimental-transform-types", "--disable-warning=ExperimentalWarning"];

export const stdioServer = (which: "few" | "many") => ({
  command: process.execPath,
  args: [...flags, "--import", here("../resolve.mjs"), here("mcp-stdio.ts"), which],
});
