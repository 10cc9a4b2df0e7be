import { type Question, readAnswer } from "@/bench/server/read-answer";
import { serveParent } from "@/bench/support/child";

/** Answers that are asked for at one instance and read at another one, so many ms apart. */
export interface RemoteOrder {
  question: Question;
  /** Where answers are read. */
  readAt: string;
  size: number;
  gapMs: number;
}

export interface RemoteAnswer {
  /** Of each token, µs. */
  lagsUs: number[];
  lost: string[];
}

/** Of each answer those of its first second, in which its reader comes. */
const left = 20;

serveParent("ready", async ({ question, readAt, size, gapMs }: RemoteOrder): Promise<RemoteAnswer> => {
  const answers = await Promise.allSettled(
    Array.from({ length: size }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * gapMs));
      const runId = await ask(question);
      const { url: _url, body: _body, ...rest } = question;
      const seen = await readAnswer({ ...rest, url: `${readAt}/api/runs/${runId}/stream` });
      return seen.lagsUs.slice(left);
    }),
  );
  return {
    lagsUs: answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : [])),
    lost: answers.flatMap((answer) => (answer.status === "rejected" ? String(answer.reason) : [])),
  };
});

/** Begins an answer, and leaves it to go on. */
async function ask({ url, token, body }: Question): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const runId = response.headers.get("x-run-id");
  await response.body?.cancel();
  if (!runId) throw new Error(`${url} answered ${response.status} without a run.`);
  return runId;
}
