import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Client,
  type ListRootsResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/client";
import type { ServerLogin } from "@/lib/mcp/oauth/server-login";
import { UnansweredError } from "@/lib/mcp/questions/input-required";
import type { QuestionAnswer } from "@/lib/mcp/questions/pending-questions";
import { type ServerRequest, toMessage, toResult } from "@/lib/mcp/questions/questions";
import { RateLimit } from "@/lib/mcp/questions/sampling";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import { type AskingCalls, UnclearCallError } from "./asking-calls";

/** Of one server; a person is asked about each one besides. */
const samplingsPerMinute = 10;

export interface ConnectionHost {
  login?: ServerLogin | undefined;
  /** What the server is sent with each request and must not repeat; tokens of the sign-in besides. */
  secrets?: readonly string[];
  roots?: readonly string[];
  /** The server may ask for the model. */
  sampling?: boolean;
}

/** What this host answers to one server, by itself or through the listener of a call. */
export class HostSide {
  private readonly samplings = new RateLimit(samplingsPerMinute);

  constructor(
    private readonly host: ConnectionHost,
    private readonly log: LogRing,
    private readonly calls: Pick<AskingCalls, "asker">,
  ) {}

  /** Answers the server's requests on the older wire; on the newer one they come as results. */
  answer(client: Client): void {
    if (this.host.roots?.length) client.setRequestHandler("roots/list", () => this.roots());
    client.setRequestHandler("elicitation/create", async (request) => toResult(await this.asked(request)));
    if (this.host.sampling)
      client.setRequestHandler("sampling/createMessage", async (request) =>
        toMessage(await this.asked(request)),
      );
  }

  /** The folders that the server gets as roots. */
  roots(): ListRootsResult {
    const { roots = [] } = this.host;
    return { roots: roots.map((path) => ({ uri: String(pathToFileURL(path)), name: basename(path) })) };
  }

  /** Throws `UnansweredError` for what the server must not ask, or not so often. */
  admit({ method }: ServerRequest): void {
    if (method !== "sampling/createMessage") return;
    if (!this.host.sampling)
      throw new UnansweredError("The server asks for the model, which its entry does not allow (sampling).");
    if (!this.samplings.take())
      throw new UnansweredError(
        `The server asks for the model more than ${samplingsPerMinute} times a minute; try again later.`,
      );
  }

  private async asked(request: ServerRequest): Promise<QuestionAnswer> {
    try {
      this.admit(request);
      const listener = await this.calls.asker(request.params);
      if (listener) return await listener.onRequest(request);
    } catch (cause) {
      if (!(cause instanceof UnansweredError || cause instanceof UnclearCallError)) throw cause;
      this.log.add("host", cause.message);
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, cause.message);
    }
    this.log.add("host", `It sent ${request.method} outside of any call, which is declined.`);
    return { action: "decline" };
  }

  /** A person signs in to this server. */
  get signsIn(): boolean {
    return this.host.login?.isForPeople ?? false;
  }

  /** Asks for more rights; whether they were granted. */
  async stepUp(scope: string | undefined): Promise<boolean> {
    try {
      return (await this.host.login?.stepUp(scope)) ?? false;
    } catch (cause) {
      this.log.add("host", `More rights could not be asked for: ${cause}`);
      return false;
    }
  }
}
