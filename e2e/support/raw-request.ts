import { request } from "node:http";
import type { App } from "./app";

export interface RawRequest {
  method?: string;
  path: string;
  /** Sent as they are, Host included; no session unless one is given. */
  headers?: Record<string, string>;
  body?: string;
  /** What comes after the headers is not waited for: a stream may go on for ever. */
  headersAlone?: true;
}

export interface RawResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** A request as nobody's client would send it: `fetch` neither sets Host nor leaves anything out. */
export function rawRequest(
  app: Pick<App, "baseUrl">,
  { method = "GET", path, headers = {}, body, headersAlone }: RawRequest,
) {
  const { hostname, port } = new URL(app.baseUrl);
  return new Promise<RawResponse>((resolve, reject) => {
    // Node sends no length with DELETE by itself.
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = { hostname, port, method, path, headers: { ...headers, ...length }, agent: false };
    const sent = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
      });
      const done = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      response.on("end", done);
      response.on("error", reject);
      if (!headersAlone) return;
      done();
      sent.destroy();
    });
    sent.on("error", reject);
    sent.setTimeout(20_000, () => sent.destroy(new Error(`No answer to ${method} ${path}.`)));
    sent.end(body);
  });
}
