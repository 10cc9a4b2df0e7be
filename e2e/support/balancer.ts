import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Before several instances, as any balancer in a company: each request goes to the next one, whoever has sent it. */
export interface Balancer {
  /** Free of instances until they are added; they need it as their PUBLIC_URL before they are started. */
  url: string;
  add(url: string): void;
  /** How many get requests at the moment. */
  ready(): number;
  close(): Promise<void>;
}

const lookMs = 100;
/** As `lb_try_duration` in `compose.cluster.yaml`: on a machine with much to do all may be late for a moment. */
const tryMs = 5_000;

/** Asks instances for `/api/ready`, and leaves out those that are not; a request that none took is answered with 502 after a while. */
export async function startBalancer(): Promise<Balancer> {
  const instances: { url: string; isReady: boolean; said: string }[] = [];
  let next = 0;
  const server = createServer((incoming, response) => {
    forward(incoming, response).catch(() => response.destroy());
  });

  async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const answer = await firstAnswer(incoming, Buffer.concat(parts));
    if (answer) {
      response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
      response.flushHeaders();
      answer.pipe(response);
      answer.on("close", () => answer.complete || response.destroy());
      response.on("close", () => answer.destroy());
      return;
    }
    const said = instances.map((one) => one.said).join("; ");
    response.writeHead(502).end(`No instance has taken the request. Of themselves they said last: ${said}`);
  }

  async function firstAnswer(incoming: IncomingMessage, body: Buffer) {
    const first = next++;
    for (const end = performance.now() + tryMs; ; await sleep(lookMs)) {
      const ready = instances.filter(({ isReady }) => isReady);
      for (let tried = 0; tried < ready.length; tried++) {
        const to = ready[(first + tried) % ready.length];
        const answer = to && (await pass(to.url, incoming, body));
        if (answer) return answer;
      }
      if (performance.now() > end) return undefined;
    }
  }

  const timer = setInterval(() => {
    for (const one of instances)
      fetch(`${one.url}/api/ready`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok, status }) => Object.assign(one, { isReady: ok, said: `${status}` }),
        (cause) => Object.assign(one, { isReady: false, said: String(cause) }),
      );
  }, lookMs);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (url) => instances.push({ url, isReady: true, said: "nothing yet" }),
    ready: () => instances.filter(({ isReady }) => isReady).length,
    async close() {
      clearInterval(timer);
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Undefined where the instance does not take the connection: then nothing was sent, and another one may have it. */
function pass(url: string, { method, url: path = "/", headers }: IncomingMessage, body: Buffer) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage | undefined>();
  const { hostname, port } = new URL(url);
  const length = { "content-length": String(body.length) };
  const sent = request({
    ...{ hostname, port, method, path, agent: false },
    headers: { ...withoutHops(headers), ...(body.length > 0 && length) },
  });
  sent.on("response", resolve);
  sent.on("error", (cause: NodeJS.ErrnoException) =>
    cause.code === "ECONNREFUSED" ? resolve(undefined) : reject(cause),
  );
  sent.end(body);
  return promise;
}

function withoutHops({
  connection: _,
  "transfer-encoding": __,
  "keep-alive": ___,
  ...headers
}: IncomingHttpHeaders) {
  return headers;
}
