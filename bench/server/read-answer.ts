import { Agent, request } from "node:http";
import { nowUs } from "./timing";

/** What a client saw of one streamed answer. */
export interface Seen {
  /** From the request to the first token, ms. */
  firstTokenMs: number;
  /** From the model's writing of each token to our reading of it, µs. */
  lagsUs: number[];
  /** Of all events but the last, which repeats the whole answer. */
  bytes: number;
}

export interface Question {
  /** What a whole answer has. */
  tokens: number;
  url: string;
  token?: string;
  /** Of a POST; without it the answer is one that goes on already. */
  body?: unknown;
}

/** Less than the 65 s of the server: a connection that it is just closing would be asked over, and reset. */
const restMs = 60_000;
const agent = new Agent({ keepAlive: true, maxSockets: 2_000, timeout: restMs });
const longestMs = 120_000;

/**
 * Sends a question and reads the answer to its end, with as little work as possible: this process shares the machine.
 * Rejects when a token is missing.
 */
export function readAnswer({ tokens, url, token, body }: Question): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>();
  const method = body === undefined ? "GET" : "POST";
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const start = nowUs();
  const seen: Seen = { firstTokenMs: Number.NaN, lagsUs: [], bytes: 0 };
  const call = request(url, { method, headers, agent, timeout: longestMs }, (response) => {
    let rest = "";
    let isOver = false;
    response.setEncoding("latin1").on("data", (text: string) => {
      if (isOver) return;
      const now = nowUs();
      rest = rest ? rest + text : text;
      const end = rest.lastIndexOf("\n\n") + 2;
      if (end < 2) return;
      // The end of a run repeats the whole text; the last tokens may come in the same packet.
      const result = rest.indexOf("event: result");
      isOver = result >= 0;
      seen.bytes += readTokens(rest, isOver ? Math.min(result, end) : end, now, seen.lagsUs);
      rest = rest.slice(end);
      if (seen.lagsUs.length > 0 && Number.isNaN(seen.firstTokenMs)) seen.firstTokenMs = (now - start) / 1e3;
    });
    response.once("error", reject);
    response.once("end", () => {
      const { length } = seen.lagsUs;
      if (response.statusCode === 200 && length === tokens) resolve(seen);
      else reject(new Error(`${url} answered ${response.statusCode} with ${length} of ${tokens} tokens.`));
    });
  });
  call.once("error", reject).once("timeout", () => call.destroy(new Error(`${url} was silent.`)));
  call.end(body && JSON.stringify(body));
  return promise;
}

/** Adds the lag of each token before `end`; returns how far it has read. */
function readTokens(text: string, end: number, now: number, lagsUs: number[]): number {
  for (let index = text.indexOf("@"); index >= 0 && index < end; index = text.indexOf("@", index + 1)) {
    const written = Number.parseInt(text.slice(index + 1, index + 20), 10);
    if (written > 0) lagsUs.push(now - written);
  }
  return end;
}
