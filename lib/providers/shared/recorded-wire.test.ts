import type { Dispatcher } from "undici";
import { expect, test } from "vitest";
import type { WireRecorder, WireRequest } from "@/lib/agent/ports";
import { recordedDispatcher } from "./recorded-wire";

type Sent = Partial<Dispatcher.DispatchOptions>;

/** What a recorder is told of a request, and of an answer with these headers. */
function record(
  sent: Sent,
  { answer = {}, ...secrets }: { ownHeaders?: string[]; answer?: Record<string, string> } = {},
) {
  const told: { request: WireRequest; answered?: Readonly<Record<string, string>> }[] = [];
  const recorder: WireRecorder = {
    begin(request) {
      const exchange = { request };
      told.push(exchange);
      return {
        answered: (_, answered) => void Object.assign(exchange, { answered }),
        received: () => {},
        ended: () => {},
      };
    },
  };
  dispatch(recorder, sent, secrets, answer);
  const [only] = told;
  if (!only) throw new Error("Nothing was told.");
  return only;
}

/** How often the request itself was sent. */
function dispatch(
  recorder: WireRecorder,
  sent: Sent,
  secrets: { ownHeaders?: string[] } = {},
  answer: Record<string, string> = {},
): number {
  let count = 0;
  const to = {
    dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
      count++;
      handler.onResponseStart?.({} as Dispatcher.DispatchController, 200, answer);
      return true;
    },
  };
  const options = { origin: "http://h", path: "/v1", method: "POST", ...sent } as const;
  recordedDispatcher(to, recorder, secrets).dispatch(options, {});
  return count;
}

const key = "sk-0123456789";

test.each<[string, NonNullable<Sent["headers"]>]>([
  ["names and values", { Accept: ["text/a", "text/b"], Authorization: `Bearer ${key}`, none: undefined }],
  ["a list of both", ["Accept", "text/a, text/b", "Authorization", `Bearer ${key}`]],
  [
    "pairs",
    new Map([
      ["Accept", "text/a, text/b"],
      ["Authorization", `Bearer ${key}`],
    ]),
  ],
])("header fields are read from %s", (_, headers) => {
  const { request } = record({ headers });
  expect(request.headers).toEqual({ accept: "text/a, text/b", authorization: "[removed]" });
  expect(request.secrets).toEqual([`Bearer ${key}`, key]);
});

test("a key among other words of an entered header is a secret by itself, words are not", () => {
  const headers = { "x-own": `Token realm="international", key="${key}"`, "x-other": `a=${key}9` };
  const { request } = record({ headers }, { ownHeaders: ["x-own"] });
  expect(request.secrets).toEqual([headers["x-own"], key, headers["x-other"]]);
});

test.each(["//v1", "//a:b/v1", "/v1"])("the path %s names no other host", (path) => {
  expect(record({ path }).request.url).toBe(`http://h${path}`);
});

test("a request that cannot be told is sent all the same", () => {
  const fails: WireRecorder = {
    begin() {
      throw new TypeError("No.");
    },
  };
  expect(dispatch(fails, {})).toBe(1);
  const recorder: WireRecorder = { begin: () => ({ answered() {}, received() {}, ended() {} }) };
  expect(dispatch(recorder, { origin: "" })).toBe(1);
});

test("tokens in the headers of an answer are hidden, counts of tokens are not", () => {
  const answer = {
    "x-auth-token": "t-1",
    "X-Subject-Token": "t-2",
    token: "t-3",
    "x-ratelimit-remaining-tokens": "100",
    "x-api-key": "k",
  };
  expect(record({}, { answer }).answered).toEqual({
    "x-auth-token": "[removed]",
    "X-Subject-Token": "[removed]",
    token: "[removed]",
    "x-ratelimit-remaining-tokens": "100",
    "x-api-key": "[removed]",
  });
});
