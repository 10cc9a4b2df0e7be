import { expect, test } from "vitest";
import { readEnv } from "@/lib/server/env";
import { conversation, message, run } from "@/lib/store/testing/rows";
import { openTempStore } from "@/lib/store/testing/temp-store";
import { answerUrl, findQuestion } from "./answer-link";

test("a link leads its person to the question, and nobody else, nor anybody by one that was made up or changed", async () => {
  const store = await openTempStore();
  const secrets = { appSecret: "the secret of this test", launchToken: "" };
  const deps = { env: readEnv({}), secrets, store };
  await store.conversations.create(conversation());
  await store.messages.append("c1", [message("q", null)]);
  for (const id of ["r1", "r2"]) await store.runs.create(run(id, { parentId: "q", status: "waiting" }));
  const tokenOf = (id: string) => answerUrl(deps, id).split("/answer/")[1] ?? "";
  const [token, other] = [tokenOf("r1"), tokenOf("r2")];
  expect(await findQuestion(deps, "ann", token)).toMatch(/^\/c\/c1\?message=/);
  expect(await findQuestion(deps, "ben", token)).toBeUndefined();
  const [, signature] = other.split(".");
  for (const wrong of [`r1.${signature}`, "r1.", "r1", "", `${token}x`])
    expect(await findQuestion(deps, "ann", wrong), wrong).toBeUndefined();
  const changed = { ...deps, secrets: { ...secrets, appSecret: "another secret" } };
  expect(await findQuestion(changed, "ann", token)).toBeUndefined();
});
