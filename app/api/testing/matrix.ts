import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, vi } from "vitest";
import type { RunItem } from "@/lib/protocol/http";
import type { Matrix, MatrixCell } from "@/lib/protocol/matrix";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import { getDeps } from "@/lib/server/entry/deps";
import { recoverRuns } from "@/lib/server/runs/recover-runs";
import { callApi, readStream, withApplication } from "./call-api";

/* The application round the tests of a file that imports this, with a model that answers by what it is asked. */

type Play = (request: WireRequest) => Step[] | Promise<Step[]>;

export const script: { play: Play; reset(): void } = {
  play: () => [],
  /** One call, then words. */
  reset() {
    script.play = ({ toolResults }) => (toolResults.length === 0 ? [look] : [say("So it is.")]);
  },
};
export const model = await startOpenAiServer((request) => script.play(request));
afterAll(() => model.close());
beforeEach(() => script.reset());
const folder = await mkdtemp(join(tmpdir(), "meguri-folder-"));
afterAll(() => rm(folder, { recursive: true }));
const args = ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", folder];
withApplication({ filesystem: { command: "node", args } }, { OPENAI_BASE_URL: model.url });

const list = "filesystem__list_directory";
export const look = callTools({ name: list, args: { path: folder } });
export const lookElsewhere = callTools({ name: list, args: { path: join(folder, "elsewhere") } });

export const json = async <Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> => (await callApi(method, path, body)).json();
export const run = (id: string): Promise<RunItem> => json("GET", `/api/runs/${id}`);

/** A recorded answer. */
export async function record(text = "Look"): Promise<string> {
  const { runId, status } = await readStream(
    await callApi("POST", "/api/chat", { model: "openai/first", message: { text } }),
  );
  expect([status, (await run(runId)).error]).toEqual(["completed", null]);
  return runId;
}

export const ample = { tokens: 1_000_000 };
export const begin = async (body: object): Promise<string> => {
  const response = await callApi("POST", "/api/matrix", { tape: "strict", budget: ample, ...body });
  const { id, error } = await response.json();
  expect([response.status, error]).toEqual([202, undefined]);
  return id;
};
export const refusal = async (method: string, path: string, body?: unknown) => {
  const response = await callApi(method, path, body);
  const { error } = await response.json();
  return [response.status, error?.code, error?.message];
};
export const read = (id: string): Promise<Matrix> => json("GET", `/api/matrix/${id}`);
export const statuses = ({ cells }: Matrix): string => cells.map(({ status }) => status).join(" ");
/** A model whose first `count` turns come together: none ends before all have begun. */
export function together(count: number, turn: Play): Play {
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  return async (request) => {
    begun += 1;
    if (begun === count) gate.resolve();
    await gate.promise;
    return turn(request);
  };
}
/** Resolves when the matrix is as asked for. */
export async function until(id: string, isSo: (matrix: Matrix) => boolean): Promise<Matrix> {
  await expect.poll(async () => isSo(await read(id)), { timeout: 20_000 }).toBe(true);
  return read(id);
}
export const untilStatus = (id: string, ...wanted: Matrix["status"][]): Promise<Matrix> =>
  until(
    id,
    ({ status, cells }) => wanted.includes(status) && cells.every((cell) => cell.status !== "running"),
  );
export const follow = async (id: string) => readStream(await callApi("GET", `/api/runs/${id}/stream`));
export const cellOf = ({ cells }: Matrix, at: number): MatrixCell => {
  const cell = cells[at];
  if (!cell) throw new Error(`There is no cell ${at}.`);
  return cell;
};

/** The process is gone without having ended what it ran; the next start. */
export async function restart(): Promise<void> {
  const { log, matrices, pool, store } = await getDeps();
  // What still runs of it has no store any more, and would say so.
  log.level = "silent";
  await matrices.close();
  await pool.close();
  await store.close();
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
  const started = await getDeps();
  await vi.waitFor(() => expect(started.pool.server("filesystem")?.status).not.toBe("connecting"), 20_000);
  await recoverRuns(started);
  await started.matrices.start();
}
