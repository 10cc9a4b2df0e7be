import {
  type CallToolResult,
  type Client,
  type InputRequiredResult,
  type RequestOptions,
  StreamableHTTPClientTransport,
  specTypeSchemas,
  type Transport,
  withInputRequired,
} from "@modelcontextprotocol/client";
import type { Resume } from "@/lib/mcp/questions/input-required";
import { abortWith } from "./abort-with";
import { AskingCalls, type CallListener } from "./asking-calls";
import type { ServerTool } from "./server-tool";
import { taskKey } from "./tap-transport";
import { createTask, type Following, followTask, takesTasks } from "./tasks";

/** Calls have their own deadlines, which are held while a person is asked; the SDK's only has to be later. */
const sdkTimeoutMs = 25 * 60 * 60_000;
const callResult = withInputRequired(specTypeSchemas.CallToolResult);

/** What a server answers to a call. */
export type CallAnswer = CallToolResult | InputRequiredResult | { taskId: string };

/** The `tools/call` requests in flight on one connection, by progress token. */
export class CallRequests {
  readonly asking = new AskingCalls();
  /** End calls whose answers broke off; on stdio only the server itself can break off. */
  private readonly cutters = new Map<string, AbortController>();
  private count = 0;

  constructor(
    private readonly client: Client,
    private readonly transport: Transport,
  ) {}

  get isIdle(): boolean {
    return this.asking.isIdle;
  }

  listener(token: string): CallListener | undefined {
    return this.asking.listener(token);
  }

  about(params: unknown): CallListener | undefined {
    return this.asking.about(params);
  }

  /** The answer to a call will not come. */
  cut(token: string): void {
    this.cutters.get(token)?.abort("its answer was broken off");
  }

  /** Sends the call. Progress is reported even if it arrives in one piece with the answer. */
  send(
    tool: ServerTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    listener: CallListener,
    { traceparent, resume }: { traceparent?: string | undefined; resume?: Resume | undefined } = {},
  ): Promise<CallAnswer> {
    return this.listening({ listener }, signal, async (progressToken, limit) => {
      const _meta = { progressToken, ...(traceparent && { traceparent }) };
      const options = { signal: limit, timeout: sdkTimeoutMs };
      const params = { name: tool.name, arguments: args, _meta };
      if (tool.needsTask && takesTasks(this.client))
        return { taskId: await createTask(this.client, params, options) };
      const answer = await this.request(tool, { ...params, ...resume }, options);
      const taskId = answer._meta?.[taskKey];
      return typeof taskId === "string" ? { taskId } : answer;
    });
  }

  /** Over HTTP on the newer wire `callTool` puts arguments into headers; elsewhere its preparations would cost more than the rest of the call. */
  private request(
    tool: ServerTool,
    params: Parameters<Client["callTool"]>[0],
    options: RequestOptions,
  ): Promise<CallToolResult | InputRequiredResult> {
    const all = { ...options, allowInputRequired: true as const };
    if (
      this.client.getProtocolEra() !== "modern" ||
      !(this.transport instanceof StreamableHTTPClientTransport)
    )
      return this.client.request({ method: "tools/call", params }, callResult, all);
    // Without its output schema, which is checked afterwards: a broken one must not keep the tool from running.
    const toolDefinition = { name: tool.name, inputSchema: { ...tool.inputSchema, type: "object" as const } };
    return this.client.callTool(params, { ...all, toolDefinition });
  }

  /** Follows a call that has become a task, to its end or to its next question. */
  follow(
    task: Resume,
    signal: AbortSignal,
    listener: CallListener,
    onStatus: Following["onStatus"],
  ): ReturnType<typeof followTask> {
    return this.listening({ listener, taskId: task.taskId ?? "" }, signal, (progressToken, limit) =>
      followTask(this.client, task, {
        signal,
        onStatus,
        progressToken,
        options: { signal: limit, timeout: sdkTimeoutMs },
      }),
    );
  }

  private async listening<Value>(
    call: { listener: CallListener; taskId?: string },
    signal: AbortSignal,
    work: (token: string, signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const token = `call-${++this.count}`;
    const hasStream = this.transport instanceof StreamableHTTPClientTransport;
    const cutter = hasStream ? abortWith(signal) : undefined;
    if (cutter) this.cutters.set(token, cutter.controller);
    try {
      const limit = cutter?.controller.signal ?? signal;
      return await this.asking.run(token, call, { signal, hasStream }, () => work(token, limit));
    } finally {
      cutter?.release();
      this.cutters.delete(token);
    }
  }
}
