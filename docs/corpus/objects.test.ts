import { beforeAll, expect, test } from "vitest";
import { readStream, withApplication } from "@/app/api/testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "@/app/api/testing/people";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import { newId } from "@/lib/server/ids";
import { foreignUses, type Owned } from "./objects";

const model = await startOpenAiServer(
  ({ toolResults }) =>
    toolResults.length > 0 ? [say("Done.")] : [callTools({ name: "plain__echo", args: {} })],
  { models: ["test-model"] },
);
withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { AUTH: "accounts", OPENAI_BASE_URL: model.url },
);

/** One of each kind; the run waits for a yes to a call. */
async function make(person: TestPerson): Promise<Record<Owned, string>> {
  const made = async (path: string, body: object) => (await person.call("POST", path, body)).json();
  await person.call("PATCH", "/api/settings", { titles: "words" });
  const asked = await readStream(
    await person.call("POST", "/api/chat", { message: { text: "Of mine." }, model: "openai/test-model" }),
  );
  const { pending } = await (await person.call("GET", `/api/runs/${asked.runId}`)).json();
  const file = { "content-type": "text/plain", "x-filename": "mine.txt" };
  const uploaded = await person.call("POST", "/api/attachments", `words of ${person.id}`, file);
  const request = { tool: "echo", name: "kept", args: { of: person.id } };
  return {
    conversation: asked.conversationId,
    message: asked.messageId,
    run: asked.runId,
    attachment: (await uploaded.json()).id,
    project: (await made("/api/projects", { name: "Mine" })).id,
    assistant: (await made("/api/assistants", { name: "Mine" })).id,
    request: (await made("/api/mcp/servers/plain/requests", request)).items[0].id,
    call: pending[0].requestId,
  };
}

let owner: TestPerson;
let other: TestPerson;
let theirs: Record<Owned, string>;
let own: Record<Owned, string>;

beforeAll(async () => {
  const admin = await toPerson(await signUp("Aiko"));
  [owner, other] = [await join(admin, "Ben"), await join(admin, "Cleo")];
  [theirs, own] = [await make(owner), await make(other)];
});

/** What the owner can see of all that is theirs. */
const stateOf = async (person: TestPerson, ids: Record<Owned, string>) => {
  const paths = [
    ...[`/api/conversations/${ids.conversation}`, `/api/runs/${ids.run}`, `/api/projects/${ids.project}`],
    ...[`/api/assistants/${ids.assistant}`, `/api/attachments/${ids.attachment}`, "/api/conversations"],
    ...["/api/mcp/servers/plain/requests", "/api/runs", "/api/matrix"],
  ];
  return Promise.all(paths.map(async (path) => (await person.call("GET", path)).text()));
};

const uses = Object.entries(foreignUses({} as Record<Owned, string>)).map(
  ([what, { kind }]) => [what, kind] as const,
);

test.each(uses)(
  "%s of somebody else under what is one's own is answered as one that nobody has",
  async (what, kind) => {
    const { use } = foreignUses(own)[what] as ReturnType<typeof foreignUses>[string];
    const before = await stateOf(owner, theirs);
    const seen = async (id: string) => {
      const { method, path, body } = use(id);
      const answer = await other.call(method, path, body);
      return { status: answer.status, text: (await answer.text()).replaceAll(id, "<id>") };
    };
    const foreign = await seen(theirs[kind]);
    expect(foreign).toEqual(await seen(kind === "call" ? `call_${newId()}` : newId()));
    expect(foreign.status).toBeLessThan(500);
    expect(await stateOf(owner, theirs)).toEqual(before);
  },
);
