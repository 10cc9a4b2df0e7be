import { Agent, request } from "node:http";

/** What a client saw of one streamed answer. */
export interface Seen {
  /** From the request to the first token, ms. */
  firstTokenMs: number;
  /** From the model's writing of each token to our reading of it, ms. */
  lags: number[];
  /** Of all events but the last, which repeats the whole answer. */
  bytes: number;
}

export interface Question {
  /** What a whole answer has. */
  tokens: number;
  url: string;
  token?: string;
  body: unknown;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
const stamps = /@(\d+) /g;
const longestMs = 120_000;

/**
 * Sends a question and reads the answer to its end, with as little work as possible: this process shares the machine.
 * Rejects when a token is missing.
 */
export function readAnswer({ tokens, url, token, body }: Question): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>();
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const start = process.hrtime.bigint();
  const seen: Seen = { firstTokenMs: Number.NaN, lags: [], bytes: 0 };
  const call = request(url, { method: "POST", headers, agent, timeout: longestMs }, (response) => {
    let rest = "";
    response.setEncoding("utf8").on("data", (text: string) => {
      const now = process.hrtime.bigint();
      rest += text;
      const end = rest.lastIndexOf("\n\n") + 2;
      if (end < 2) return;
      // The end of a run repeats the whole text; the last tokens may come in the same packet.
      const [events = ""] = rest.slice(0, end).split("event: result", 1);
      rest = rest.slice(end);
      seen.bytes += events.length;
      for (const [, written = "0"] of events.matchAll(stamps))
        seen.lags.push(Number(now - BigInt(written)) / 1e6);
      if (seen.lags.length > 0 && Number.isNaN(seen.firstTokenMs))
        seen.firstTokenMs = Number(now - start) / 1e6;
    });
    response.once("error", reject);
    response.once("end", () =>
      response.statusCode === 200 && seen.lags.length === tokens
        ? resolve(seen)
        : reject(
            new Error(
              `${url} answered ${response.statusCode} with ${seen.lags.length} of ${tokens} tokens: ${rest}`,
            ),
          ),
    );
  });
  call.once("error", reject).once("timeout", () => call.destroy(new Error(`${url} was silent.`)));
  call.end(JSON.stringify(body));
  return promise;
}
