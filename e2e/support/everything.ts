import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePort } from "@/lib/store/testing/free-port";

const entry = join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);

/** The reference server with a bit of everything, as an entry for stdio. */
export const everythingOverStdio = { command: "node", args: [entry, "stdio"] };

/** The same as a process that speaks Streamable HTTP; resolves when it listens. */
export async function startEverything(): Promise<{ url: string; end(): Promise<void> }> {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [entry, "streamableHttp"], {
    env: { PATH: process.env.PATH, PORT: String(port) } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    const read = (data: Buffer) => /listening|port \d+/i.test(data.toString()) && resolve();
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => reject(new Error(`server-everything ended with code ${code}.`)));
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    end: async () => {
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
