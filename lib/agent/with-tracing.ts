import {
  type Attributes,
  type Context,
  context as contextApi,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace as traceApi,
} from "@opentelemetry/api";
import type { AgenticLoopResult, ModelChunk } from "@/lib/protocol/chunk";
import { kindOf } from "@/lib/protocol/chunk-kinds";
import { chunksIn } from "./chunks-in";
import type { ModelChunks, Provider, ToolBox } from "./ports";

/** What a run is called in traces, in the words of OpenTelemetry's GenAI conventions. */
export interface TracedRun {
  /** `gcp.gemini`, `openai`, `anthropic`, … */
  provider: string;
  model: string;
  conversationId?: string;
  /** Of our own: `meguri.run.id`. */
  runId?: string;
}

/**
 * The spans of one run: the run itself, its iterations in it, and in those the model's turns and the tool calls.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/. Texts and arguments of people stay out of it.
 */
export class RunTrace {
  private readonly root: Span;
  private readonly inside: Context;
  private iteration: { span: Span; inside: Context } | undefined;
  private iterations = 0;

  constructor(
    private readonly tracer: Tracer,
    readonly run: TracedRun,
    parent: Context = contextApi.active(),
  ) {
    const attributes: Attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "meguri",
      "gen_ai.provider.name": run.provider,
      "gen_ai.request.model": run.model,
      ...(run.conversationId && { "gen_ai.conversation.id": run.conversationId }),
      ...(run.runId && { "meguri.run.id": run.runId }),
    };
    this.root = tracer.startSpan("invoke_agent meguri", { kind: SpanKind.INTERNAL, attributes }, parent);
    this.inside = traceApi.setSpan(parent, this.root);
  }

  /** Begins the next iteration, which ends the one before. */
  next(): void {
    this.iteration?.span.end();
    const attributes = { "meguri.iteration": ++this.iterations };
    const span = this.tracer.startSpan(`iteration ${this.iterations}`, { attributes }, this.inside);
    this.iteration = { span, inside: traceApi.setSpan(this.inside, span) };
  }

  /** A span within the current iteration, or within the run before the first one. */
  start(name: string, kind: SpanKind, attributes: Attributes): Span {
    return this.tracer.startSpan(name, { kind, attributes }, this.iteration?.inside ?? this.inside);
  }

  end({ stopReason, usage, error, iterationsUsed }: Omit<AgenticLoopResult, "historyDelta">): void {
    this.iteration?.span.end();
    this.root.setAttributes({
      "meguri.stop_reason": stopReason,
      "meguri.iterations": iterationsUsed,
      "gen_ai.usage.input_tokens": usage.inputTokens,
      "gen_ai.usage.output_tokens": usage.outputTokens,
    });
    if (error) fail(this.root, error.code, error.message);
    this.root.end();
  }
}

/** A span for each turn of the model, with its usage, its time to the first token and its latency. */
export function withTracedTurns(
  provider: Provider,
  trace: RunTrace,
  { provider: name, model }: Pick<TracedRun, "provider" | "model"> = trace.run,
): Provider {
  return {
    stream: (turn) => ({
      [Symbol.asyncIterator]: () => {
        trace.next();
        const span = trace.start(`chat ${model}`, SpanKind.CLIENT, {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": name,
          "gen_ai.request.model": model,
        });
        return new TracedTurn(provider.stream(turn)[Symbol.asyncIterator](), span);
      },
    }),
  };
}

/** No generator, because every token passes through it. */
class TracedTurn implements AsyncIterator<ModelChunks> {
  private readonly startedAt = performance.now();
  private hasShown = false;

  constructor(
    private readonly chunks: AsyncIterator<ModelChunks>,
    private readonly span: Span,
  ) {}

  next(): Promise<IteratorResult<ModelChunks>> {
    return this.chunks.next().then(this.note, this.failed);
  }

  async return(): Promise<IteratorResult<ModelChunks>> {
    this.span.end(); // Does nothing when it has ended.
    return (await this.chunks.return?.()) ?? { done: true, value: undefined };
  }

  private note = (next: IteratorResult<ModelChunks>) => {
    if (next.done) this.span.end();
    else
      for (const chunk of chunksIn(next.value))
        if (!this.hasShown || chunk.type === "usage") this.look(chunk);
    return next;
  };

  private failed = (cause: unknown): never => {
    fail(this.span, codeOf(cause), cause instanceof Error ? cause.message : String(cause));
    this.span.end();
    throw cause;
  };

  private look(chunk: ModelChunk): void {
    const ms = performance.now() - this.startedAt;
    if (kindOf(chunk).isAnswer && !this.hasShown) {
      this.hasShown = true;
      this.span.setAttribute("meguri.time_to_first_token_ms", ms);
    } else if (chunk.type === "usage" && chunk.stopReason)
      this.span.setAttributes({
        "gen_ai.response.finish_reasons": [chunk.stopReason],
        "gen_ai.usage.input_tokens": chunk.inputTokens,
        "gen_ai.usage.output_tokens": chunk.outputTokens,
        ...(chunk.cachedInputTokens !== undefined && {
          "gen_ai.usage.cache_read.input_tokens": chunk.cachedInputTokens,
        }),
        "meguri.latency_ms": ms,
      });
  }
}

/** A span for each call that is sent; the box below hands its `traceparent` on (https://www.w3.org/TR/trace-context/). */
export function withTracedCalls(tools: ToolBox, trace: RunTrace): ToolBox {
  return {
    list: () => tools.list(),
    async call(call, context) {
      const span = trace.start(`execute_tool ${call.name}`, SpanKind.INTERNAL, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.type": "function",
        ...(call.server && { "meguri.mcp.server": call.server }),
      });
      try {
        const outcome = await tools.call(call, { ...context, traceparent: traceparentOf(span) });
        const status = "waiting" in outcome ? outcome.waiting : outcome.status;
        span.setAttribute("meguri.tool.status", status);
        if (status === "error" || status === "unknown") fail(span, `tool_${status}`);
        return outcome;
      } catch (cause) {
        fail(span, codeOf(cause));
        throw cause;
      } finally {
        span.end();
      }
    },
  };
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

function fail(span: Span, type: string, message?: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message && { message }) });
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.name) : "error";
