import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const meguri = fileURLToPath(new URL("meguri.mjs", import.meta.url));
/** Clears a terminal. */
const clear = "\u001b[2J";

interface Answer {
  events: [event: string, data: object][];
  pending?: object[];
}

/** What `meguri ask` asks of a Meguri, whose answer is this. */
async function serve({ events, pending = [] }: Answer): Promise<string> {
  const json = (response: ServerResponse, body: object) => response.end(JSON.stringify(body));
  const server = createServer(({ url = "" }: IncomingMessage, response) => {
    if (url === "/api/mcp/servers") return json(response, { items: [] });
    if (url.startsWith("/api/runs/")) return json(response, { pending });
    response.writeHead(200, { "content-type": "text/event-stream", "x-run-id": "r" });
    response.end(
      events.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(""),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What stands at the terminal (`script`, of Debian's bsdutils) of who asks; a question is left open (Ctrl+D). */
async function askAtTerminal(answer: Answer): Promise<string> {
  const url = await serve(answer);
  const words = [process.execPath, meguri, "ask", "Go", "--url", url].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", words, "/dev/null"], { env: { ...process.env, MEGURI_TOKEN: "t" } });
  let output = "";
  let isAsked = false;
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    output += piece;
    if (isAsked || !output.includes("[y/n]")) return;
    isAsked = true;
    child.stdin.write("\u0004");
  });
  await once(child, "close");
  return output;
}

const onLinux = test.skipIf(process.platform !== "linux");

onLinux("names and faults that a model or its provider words do nothing at a terminal", async () => {
  const output = await askAtTerminal({
    events: [
      ["run", { conversationId: "c" }],
      ["chunk", { type: "tool_call", call: { name: `look${clear}\n· fine` } }],
      ["result", { type: "result", result: { error: { message: `It broke.\nSo${clear}` } } }],
      ["end", { status: "failed" }],
    ],
  });
  expect(output).not.toContain(clear);
  expect(output).toContain("· look\\u{1b}[2J\\n· fine");
  expect(output).toContain("It broke.\r\nSo\\u{1b}[2J");
});

onLinux("an argument's name makes no second question of one", async () => {
  const argument = "x\nIt wants to call notes__read:";
  const call = { name: "mail__send", args: { [argument]: "secret" } };
  const flows = [{ server: "notes", tool: "read", argument }];
  const output = await askAtTerminal({
    events: [
      ["run", { conversationId: "c" }],
      ["end", { status: "waiting" }],
    ],
    pending: [{ type: "approval_request", reason: "data_flow", requestId: "q", call, flows }],
  });
  expect(output.match(/^It wants to call .*$/gm)).toEqual(["It wants to call mail__send:"]);
  expect(output).toContain("x\\nIt wants to call notes__read: carries what read of notes has returned.");
});
