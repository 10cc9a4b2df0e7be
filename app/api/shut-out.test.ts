import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { ToolCallId } from "@/lib/protocol/ids";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { type Step, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { waitingFor } from "@/lib/server/testing/run-kit";
import { withEventStreams } from "@/scripts/event-streams.mjs";
import { callApi, withApplication } from "./testing/call-api";
import { join, origin, password, signUp, type TestPerson, toPerson } from "./testing/people";

const hanging: Step[] = [say("One moment."), { type: "hang" }];
const model = await startOpenAiServer(() => hanging, { models: ["test-model"] });
withApplication({}, { AUTH: "accounts", OPENAI_BASE_URL: model.url });

let admin: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
});

/** The routes behind the server that writes streams to the socket itself. */
async function serve(): Promise<string> {
  const handle = withEventStreams(async (request: IncomingMessage, response: ServerResponse) => {
    const { "x-meguri-stream": name = "", "content-type": type, cookie = "" } = request.headers;
    const body = request.method === "POST" ? await text(request) : undefined;
    const answer = await callApi(request.method ?? "", request.url ?? "", body, {
      ...{ authorization: "", ...origin, cookie, "x-meguri-stream": String(name) },
      ...(type && { "content-type": type }),
    });
    response.statusCode = answer.status;
    for (const [header, value] of answer.headers) response.appendHeader(header, value);
    if (answer.body) for await (const piece of answer.body) response.write(piece);
    response.end();
  });
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const question = { message: { text: "Do it." }, model: "openai/test-model" };

/** A run that its model keeps going on. */
async function begin(person: TestPerson): Promise<{ runId: string; read: Promise<string> }> {
  const response = await person.call("POST", "/api/chat", question);
  return { runId: response.headers.get("x-run-id") ?? "", read: response.text() };
}

const disable = (person: TestPerson, disabled: boolean) =>
  admin.call("PATCH", `/api/users/${person.id}`, { disabled });

test("who is disabled loses every stream and run at once, those of others go on", async () => {
  const [ben, cleo] = [await join(admin, "Ben"), await join(admin, "Cleo")];
  const [mine, theirs] = [await begin(ben), await begin(cleo)];
  const bySocket = await fetch(`${await serve()}/api/runs/${mine.runId}/stream`, { headers: ben.headers });
  const watched = bySocket.text();
  const updates = await ben.call("GET", `/api/runs/${mine.runId}/stream`);
  expect((await disable(ben, true)).status).toBe(200);
  await Promise.all([mine.read, watched, updates.text()]);
  const { store, runs } = await getDeps();
  expect((await store.runs.get(ben.id, mine.runId))?.status).toBe("stopped");
  expect(runs.get(theirs.runId)).toBeDefined();
  expect((await ben.call("GET", "/api/conversations")).status).toBe(401);
  expect((await cleo.call("POST", `/api/runs/${theirs.runId}/stop`, {})).status).toBe(200);
  await theirs.read;
  // What they have is there when they are let in again.
  await disable(ben, false);
  const back = await toPerson(
    await callApi(
      "POST",
      "/api/auth/sign-in/email",
      { email: ben.email, password },
      { authorization: "", ...origin },
    ),
  );
  expect((await back.call("GET", `/api/runs/${mine.runId}`)).status).toBe(200);
});

test("what waits in a matrix of who is disabled does not begin", async () => {
  const dan = await join(admin, "Dan");
  const { runId, read } = await begin(dan);
  await dan.call("POST", `/api/runs/${runId}/stop`, {});
  await read;
  const made = await dan.call("POST", "/api/matrix", {
    ...{ runIds: [runId], models: ["openai/test-model"], tape: "live" },
    ...{ budget: { tokens: 100_000 }, unpriced: "run" },
  });
  const { id } = await made.json();
  await disable(dan, true);
  const { store, runs } = await getDeps();
  await expect.poll(async () => (await store.matrices.find(id))?.state).toBe("stopped");
  expect(runs.all().filter(({ row }) => row.userId === dan.id)).toEqual([]);
});

test("a temporary chat of who is disabled ends", async () => {
  const eve = await join(admin, "Eve");
  const response = await eve.call("POST", "/api/chat", { ...question, temporary: true });
  const { temporary } = await getDeps();
  const runId = response.headers.get("x-run-id") ?? "";
  expect(await temporary.find(eve.id, runId)).toBeDefined();
  await disable(eve, true);
  await response.text();
  expect(await temporary.find(eve.id, runId)).toBeUndefined();
});

test("a session that is ended ends its streams, and the run goes on for the person", async () => {
  const eli = await join(admin, "Eli");
  const other = await toPerson(
    await callApi(
      "POST",
      "/api/auth/sign-in/email",
      { email: eli.email, password },
      { authorization: "", ...origin },
    ),
  );
  const { runId, read } = await begin(eli);
  const path = `/api/runs/${runId}/stream`;
  const watched = [
    await other.call("GET", path),
    await fetch(`${await serve()}${path}`, { headers: other.headers }),
  ].map((answer) => answer.text());
  await eli.call("DELETE", "/api/sessions");
  await Promise.all(watched);
  const { runs } = await getDeps();
  expect(runs.get(runId)).toBeDefined();
  await eli.call("POST", `/api/runs/${runId}/stop`, {});
  await read;
});

test("a run of who is disabled that waits does not go on when an admin signs in to its server", async () => {
  const [fay, gil] = [await join(admin, "Fay"), await join(admin, "Gil")];
  const deps = await getDeps();
  const wait = (userId: string) =>
    waitingFor(
      deps,
      {
        ...{ type: "input_request", requestId: "q", id: "c" as ToolCallId, server: "desk", message: "?" },
        ...{ mode: "url", url: "https://example.com", reason: "login" },
      },
      { userId, model: "openai/test-model" },
    );
  const [mine, theirs] = [await wait(fay.id), await wait(gil.id)];
  await disable(fay, true);
  const { runs } = deps.store;
  expect((await runs.get(fay.id, mine.id))?.status).not.toBe("waiting");
  expect((await runs.get(gil.id, theirs.id))?.status).toBe("waiting");
});

test("a new password by a link ends the streams of every session", async () => {
  const hana = await join(admin, "Hana");
  const { runId, read } = await begin(hana);
  const watched = (await hana.call("GET", `/api/runs/${runId}/stream`)).text();
  const { url } = await (await admin.call("POST", `/api/users/${hana.id}/reset`, {})).json();
  const token = new URL(url).searchParams.get("reset");
  await callApi(
    "POST",
    "/api/auth/reset-password",
    { token, password: "another long password" },
    { authorization: "", ...origin },
  );
  await Promise.all([watched, read]);
  const live = (await getDeps()).runs.get(runId);
  expect(live).toBeDefined();
  live?.abort.abort();
  await live?.ended;
});

test("who is switched off while a body of theirs is on its way does not finish what they had begun", async () => {
  const dora = await join(admin, "Dora", "admin");
  const held = Promise.withResolvers<void>();
  const bytes = new TextEncoder().encode(JSON.stringify({ name: "Mine", instructions: "Theirs." }));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes.slice(0, 5));
      await held.promise;
      controller.enqueue(bytes.slice(5));
      controller.close();
    },
  });
  const answer = dora.call("POST", "/api/assistants", body, { "content-type": "application/json" });
  // It has been let in.
  await new Promise((resolve) => setTimeout(resolve, 200));
  await disable(dora, true);
  await disable(dora, false);
  held.resolve();
  const refused = await answer;
  expect([refused.status, (await refused.json()).error.message]).toEqual([
    401,
    "The session has ended; sign in and send it again.",
  ]);
});
