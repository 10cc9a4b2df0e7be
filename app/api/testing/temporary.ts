import { getDeps } from "@/lib/server/entry/deps";
import type { Deps } from "@/lib/server/entry/open-deps";
import { TemporaryChats } from "@/lib/server/entry/temporary-chats";
import { callApi, readStream } from "./call-api";

export const call = async (method: string, path: string, body?: unknown) => {
  const response = await callApi(method, path, body);
  return { status: response.status, body: await response.json() };
};
/** Status and code of an error. */
export const codeOf = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, path, body);
  return [answer.status, answer.body.error?.code];
};
/** To a model that the test stands in for. */
export const post = (text: string, more: object = {}) =>
  callApi("POST", "/api/chat", { message: { text }, model: "openai/test-model", ...more });
export const ask = async (text: string, more: object = {}) => readStream(await post(text, more));
/** In a new temporary chat. */
export const begin = (text: string, more: object = {}) => ask(text, { temporary: true, ...more });
/** For a temporary chat. */
export const upload = async (content: string | Uint8Array<ArrayBuffer>, name: string, type = "text/plain") =>
  callApi("POST", "/api/attachments", content, {
    ...{ "content-type": type, "x-filename": name, "x-temporary": "true" },
  });

/** The application with temporary chats of its own. */
export async function withChats(
  options: ConstructorParameters<typeof TemporaryChats<Deps>>[1],
  work: (temporary: TemporaryChats<Deps>) => Promise<void>,
  told: Partial<Deps> = {},
): Promise<void> {
  const base = await getDeps();
  const temporary: TemporaryChats<Deps> = new TemporaryChats(() => deps, options);
  const deps: Deps = { ...base, ...told, temporary };
  const put = (deps: Deps) =>
    Object.assign(globalThis, { [Symbol.for("meguri.deps")]: Promise.resolve(deps) });
  put(deps);
  await work(temporary).finally(() => put(base));
  await temporary.close();
}
