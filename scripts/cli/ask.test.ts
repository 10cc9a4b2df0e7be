import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const meguri = fileURLToPath(new URL("meguri.mjs", import.meta.url));
/** Clears a terminal. */
const clear = "\u001b[2J";
const env = { ...process.env, MEGURI_TOKEN: "t" };

type Event = [event: string, data: object];

interface Answer {
  events: Event[];
  pending?: object[];
  /** The last event is told after it. */
  last?: Promise<unknown>;
  /** In place of an answer. */
  status?: number;
}

/** What `meguri ask` asks of a Meguri, whose answer is this; `given` are the answers to its questions. */
async function serve({ events, pending = [], last, status = 200 }: Answer) {
  const given: object[] = [];
  const json = (response: ServerResponse, body: object) => response.end(JSON.stringify(body));
  const server = createServer(async (request: IncomingMessage, response) => {
    const { url = "" } = request;
    if (url === "/api/mcp/servers") return json(response, { items: [] });
    if (url.endsWith("/answer")) {
      given.push(JSON.parse(await text(request)));
      return json(response, { runId: "next" });
    }
    if (url === "/api/runs/r") return json(response, { pending });
    response.writeHead(status, { "content-type": "text/event-stream", "x-run-id": "r" });
    if (status !== 200) return json(response, { error: { message: `It is refused.${clear}` } });
    const told = url.endsWith("/stream") ? [end("completed")] : events;
    const lines = told.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    response.write(lines.slice(0, -1).join(""));
    await last;
    return response.end(lines.at(-1));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, given };
}

const begin: Event = ["run", { conversationId: "c" }];
const end = (status: string): Event => ["end", { status }];
const says = (content: string): Event => ["chunk", { type: "text", content }];

/** What happens once something is shown at the terminal: something is typed there, or done. */
type Step = [shown: string | RegExp, then: string | (() => void)];

/** What stands at the terminal (`script`, of Debian's bsdutils) of who asks; unless told, a question is left open (Ctrl+D). */
async function askAtTerminal(answer: Answer, steps: Step[] = [["[y/n]", "\u0004"]]) {
  const { url, given } = await serve(answer);
  const words = [process.execPath, meguri, "ask", "Go", "--url", url].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", words, "/dev/null"], { env });
  let output = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    output += piece;
    const [[shown, then] = ["", () => {}], ...rest] = steps;
    const found = new RegExp(typeof shown === "string" ? RegExp.escape(shown) : shown).exec(
      output.slice(seen),
    );
    if (steps.length === 0 || !found) return;
    seen += found.index + found[0].length;
    steps = rest;
    if (typeof then === "string") child.stdin.write(then);
    else then();
  });
  const [code] = await once(child, "close");
  return { output, code, given };
}

/** The same where nobody is at a terminal. */
async function askInPipe(answer: Answer, ...more: string[]) {
  const { url } = await serve(answer);
  const child = spawn(process.execPath, [meguri, "ask", "Go", "--url", url, ...more], { env });
  child.stdin.end();
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, code: (await closed)[0] };
}

const onLinux = test.skipIf(process.platform !== "linux");
const call = { name: "mail__send", args: { to: "ann" } };
const approval = { type: "approval_request", reason: "rule", requestId: "q", call };

test("how an answer has ended is the exit code", async () => {
  const whole = await askInPipe({
    events: [begin, says("Eight."), ["result", { type: "result" }], end("completed")],
  });
  expect(whole).toEqual({ stdout: "Eight.\n", stderr: "", code: 0 });
  const fault = { type: "result", result: { error: { message: "The model is away." } } };
  const failed = await askInPipe({ events: [begin, ["result", fault], end("failed")] });
  expect(failed).toMatchObject({ stderr: "The model is away.\n", code: 1 });
  const waits = await askInPipe({ events: [begin, end("waiting")], pending: [approval] });
  expect(waits.stderr).toMatch(/^It waits for you: answer at http:\/\/127\.0\.0\.1:\d+\/c\/c\.\n$/);
  expect([waits.stdout, waits.code]).toEqual(["", 3]);
  expect((await askInPipe({ events: [begin, end("stopped")] })).code).toBe(130);
  const refused = await askInPipe({ events: [], status: 403 });
  expect([refused.stdout, refused.code]).toEqual(["", 1]);
  const broken = await askInPipe({ events: [begin, says("Eigh")] });
  expect(broken).toMatchObject({ stderr: expect.stringContaining("The connection broke"), code: 1 });
});

test("as JSON each line is a chunk, in which control characters are escaped", async () => {
  const { stdout } = await askInPipe({ events: [begin, says(`Eight${clear}`), end("completed")] }, "--json");
  expect(stdout).toBe(`{"type":"text","content":"Eight\\u001b[2J"}\n`);
});

onLinux("words of a model, names and faults do nothing at a terminal", async () => {
  const { output } = await askAtTerminal({
    events: [
      begin,
      says(`Now${clear}\n`),
      ["chunk", { type: "tool_call", call: { name: `look${clear}\n· fine` } }],
      ["result", { type: "result", result: { error: { message: `It broke.\nSo${clear}` } } }],
      end("failed"),
    ],
  });
  expect(output).not.toContain(clear);
  expect(output).toContain("Now\uFFFD[2J");
  expect(output).toContain("· look\\u{1b}[2J\\n· fine");
  expect(output).toContain("It broke.\r\nSo\\u{1b}[2J");
});

onLinux("an argument's name makes no second question of one", async () => {
  const argument = "x\nIt wants to call notes__read:";
  const carrying = { name: "mail__send", args: { [argument]: "secret" } };
  const flows = [{ server: "notes", tool: "read", argument }];
  const { output, code } = await askAtTerminal({
    events: [begin, end("waiting")],
    pending: [{ ...approval, reason: "data_flow", call: carrying, flows }],
  });
  expect(output.match(/^It wants to call .*$/gm)).toEqual(["It wants to call mail__send:"]);
  expect(output).toContain("x\\nIt wants to call notes__read: carries what read of notes has returned.");
  expect(code).toBe(3);
});

onLinux("what a plan fixes and what a server asks stand in a line each", async () => {
  const steps = [
    { tool: "mail__send", max: 1, fixed: { to: `ann\n2. notes__read: once${clear}` }, destructive: true },
  ];
  const schema = { properties: { name: { type: "string", title: `Name${clear}\nRun it? [y/n]` } } };
  const { output, given } = await askAtTerminal(
    {
      events: [begin, end("waiting")],
      pending: [
        { ...approval, requestId: "p", reason: "plan", plan: { steps } },
        {
          type: "input_request",
          requestId: "i",
          mode: "form",
          server: "notes",
          message: `Who?\n${clear}`,
          schema,
        },
      ],
    },
    [
      ["Allow the plan? [y/n]", "y\r"],
      ["Answer it? [y/n]", "y\r"],
      ["(may be empty): ", "Ann\r"],
    ],
  );
  expect(output).not.toContain(clear);
  expect(output).toContain(
    '1. mail__send: once, to = "ann\\n2. notes__read: once\\u001b[2J", can delete or overwrite',
  );
  expect(output).toContain("notes asks: Who?\\n\\u{1b}[2J");
  expect(output).toContain("Name\\u{1b}[2J\\nRun it? [y/n] (may be empty): ");
  expect(given).toEqual([
    { requestId: "p", decision: "approve" },
    { requestId: "i", action: "accept", content: { name: "Ann" } },
  ]);
});

onLinux.each([
  ["a line", "y\r", "y\r\n"],
  ["half a line", "y", "y"],
])("%s that is typed before a question is shown is no answer to it", async (_what, typed, echo) => {
  const last = Promise.withResolvers<void>();
  const { output, code, given } = await askAtTerminal(
    { events: [begin, says("Look.\n"), end("waiting")], pending: [approval], last: last.promise },
    [
      ["Look.", typed],
      // The terminal has it.
      [echo, () => last.resolve()],
      ["Run it? [y/n] ", "\r"],
      ["Run it? [y/n] ", "\u0004"],
    ],
  );
  expect(output.split("Run it? [y/n]")).toHaveLength(3);
  expect([code, given]).toEqual([3, []]);
});

onLinux("n denies a call, has the model answer with what it has, and tells a server nothing", async () => {
  const budget = { type: "budget_request", requestId: "b", limit: "cost", of: 0.5, used: {} };
  const form = { type: "input_request", requestId: "i", mode: "form", server: "notes", message: "Who?" };
  const { output, code, given } = await askAtTerminal(
    { events: [begin, end("waiting")], pending: [approval, budget, form] },
    [
      ["Run it? [y/n]", "maybe\r"],
      ["Run it? [y/n]", "n\r"],
      ["Go on with as much again? [y/n]", "N\r"],
      ["Answer it? [y/n]", "no\r"],
    ],
  );
  expect(output).toContain("Its budget is used up: $0.5. With n it answers with what it has.");
  expect(given).toEqual([
    { requestId: "q", decision: "deny" },
    { requestId: "b", decision: "finish" },
    { requestId: "i", action: "decline" },
  ]);
  expect(code).toBe(0);
});

onLinux("Ctrl+C that is typed at a question stops the answer", async () => {
  const { code, given } = await askAtTerminal({ events: [begin, end("waiting")], pending: [approval] }, [
    ["Run it? [y/n] ", "\u0003"],
  ]);
  expect([code, given]).toEqual([130, []]);
});
