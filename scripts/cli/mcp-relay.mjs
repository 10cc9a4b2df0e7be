import { setTimeout as sleep } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";

/** Requests that are under way at once; more are read once one is answered. */
const mostOpen = 256;
const reconnectMs = 1_000;

/**
 * Passes the messages of one client on to `/mcp` (Streamable HTTP) and what comes back to `send`. A Meguri that has ended is
 * looked for, or started, again: its sessions outlive it. What it was doing then fails, with a sentence that says so.
 */
export class Relay {
  #ports;
  #instance;
  /** While one is looked for. */
  #opening;
  #session = "";
  #version = "";
  #open = new Set();
  #ended = new AbortController();

  /**
   * @param {{ open: () => Promise<any>, send: (message: unknown) => Promise<void>, say: (text: string) => void }} ports
   */
  constructor(ports) {
    this.#ports = ports;
  }

  connect() {
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Takes one message. Of notifications and answers it waits until they have arrived, so that what follows comes after them. */
  async take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#ports.send(failure(null, -32_700, "This line is no JSON."));
    }
    const work = this.#pass(message).finally(() => this.#open.delete(work));
    this.#open.add(work);
    if (!isRequest(message) || message.method === "initialize") await work;
    if (this.#open.size >= mostOpen) await Promise.race(this.#open);
  }

  /** Resolves when every request is answered, or at the signal. */
  async allAnswered(signal) {
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    if (!signal.aborted) await Promise.race([Promise.all(this.#open), aborted]);
  }

  /** Gives up what is under way. */
  stop() {
    this.#ended.abort();
  }

  async close() {
    this.stop();
    await this.#opening?.catch(() => {});
    if (this.#session)
      await this.#instance.call("/mcp", { method: "DELETE", headers: this.#headers() }).catch(() => {});
    await this.#instance?.close();
  }

  async #reopen() {
    await this.#instance?.close();
    this.#instance = await this.#ports.open();
  }

  async #pass(message) {
    let isAnswered = !isRequest(message);
    try {
      for await (const answer of this.#post(message)) {
        if (isRequest(message) && answer.id === message.id && !("method" in answer)) {
          isAnswered = true;
          if (message.method === "initialize") this.#version = answer.result?.protocolVersion ?? "";
        }
        await this.#ports.send(answer);
      }
      if (isAnswered) return this.#follow(message);
      throw new Error("Meguri ended before it had answered: call again.");
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      if (isAnswered) this.#ports.say(error.message);
      else await this.#ports.send(failure(message.id, -32_603, error.message));
    }
  }

  async *#post(message) {
    const response = await this.#reach({
      method: "POST",
      body: JSON.stringify(message),
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    });
    const type = response.headers.get("content-type") ?? "";
    if (message.method === "initialize") this.#session = response.headers.get("mcp-session-id") ?? "";
    if (type.startsWith("text/event-stream")) yield* messagesOf(response);
    else if (type.startsWith("application/json")) yield toAnswer(await response.json(), message, response);
    else if (response.ok) await response.body?.cancel();
    else throw new Error((await response.text()) || `Meguri answered ${response.status}.`);
  }

  /** Asked once more where nothing has heard it the first time. */
  async #reach(init) {
    await this.#opening;
    const ask = () =>
      this.#instance.call("/mcp", {
        ...init,
        headers: { ...init.headers, ...this.#headers() },
        signal: this.#ended.signal,
      });
    try {
      return await ask();
    } catch (error) {
      if (this.#ended.signal.aborted || error.code !== "ECONNREFUSED") throw error;
      await this.connect();
      return ask();
    }
  }

  #headers() {
    return {
      ...(this.#session && { "mcp-session-id": this.#session }),
      ...(this.#version && { "mcp-protocol-version": this.#version }),
    };
  }

  /** From when the client is ready it hears what Meguri tells by itself. */
  #follow({ method }) {
    if (method === "notifications/initialized") void this.#listen(this.#session);
  }

  async #listen(session) {
    let last = "";
    while (!this.#ended.signal.aborted && session === this.#session) {
      try {
        const headers = { accept: "text/event-stream", ...(last && { "last-event-id": last }) };
        const response = await this.#reach({ method: "GET", headers });
        if (!response.ok) return await response.body?.cancel();
        for await (const message of messagesOf(response, (id) => {
          last = id;
        }))
          await this.#ports.send(message);
      } catch {
        // The connection broke: the next one says more.
      }
      await sleep(reconnectMs, undefined, { signal: this.#ended.signal }).catch(() => {});
    }
  }
}

const isRequest = (message) => message?.method !== undefined && message.id !== undefined;

const failure = (id, code, message) => ({ jsonrpc: "2.0", id, error: { code, message } });

/** Refusals come as errors of JSON-RPC, some without the id, or as those of our API. */
function toAnswer(body, message, { status }) {
  if (body.jsonrpc === undefined)
    return failure(message.id ?? null, -32_603, body.error?.message ?? `Meguri answered ${status}.`);
  return body.id === null && isRequest(message) ? { ...body, id: message.id } : body;
}

async function* messagesOf(response, onId = (_id) => {}) {
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const { id, data } of events) {
    if (id) onId(id);
    if (data) yield JSON.parse(data);
  }
}
