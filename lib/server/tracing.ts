import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Tracer,
  trace as traceApi,
} from "@opentelemetry/api";
import type { Env } from "./env";
import { version } from "./version";

/** As a caller names its trace: in the headers of a request, or in the `_meta` of a message of MCP. */
export interface NamedTrace {
  traceparent: unknown;
  tracestate?: unknown;
}

export interface Tracing {
  tracer: Tracer;
  /** Does work whose runs belong to the caller's trace; where it names none that is valid, to that of the work around it. */
  within<Value>(named: NamedTrace, work: () => Value): Value;
  /** The caller's trace; undefined where none was named. */
  caller(): Context | undefined;
  /** Sends what is left; bounded by the exporter's own time-out. */
  close(): Promise<void>;
}

/**
 * Exports traces over OTLP where the environment names a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`); undefined, and
 * nothing loaded, where it does not. The exporter reads the standard variables (headers, time-out) itself.
 */
export async function openTracing(env: Env): Promise<Tracing | undefined> {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT && !env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return undefined;
  const [{ BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import("@opentelemetry/sdk-trace-base"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": env.OTEL_SERVICE_NAME, "service.version": version }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const callers = new AsyncLocalStorage<Context>();
  return {
    tracer: provider.getTracer("meguri", version),
    within: (named, work) => {
      const caller = callerOf(named);
      return caller ? callers.run(caller, work) : work();
    },
    caller: () => callers.getStore(),
    close: () => provider.shutdown().catch(() => {}), // a collector that is away must not keep us from ending
  };
}

const maxParent = 512;
/** Later versions may add fields behind these; ff is none (https://www.w3.org/TR/trace-context/#versioning-of-traceparent). */
const parentShape = /^(?!ff|00-.{52}-)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

/** The span of the caller; undefined for what is none, which is passed over. */
function callerOf({ traceparent, tracestate }: NamedTrace): Context | undefined {
  if (typeof traceparent !== "string" || traceparent.length > maxParent) return undefined;
  const [, traceId, spanId, flags] = parentShape.exec(traceparent.trim()) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  const span = {
    ...{ traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true },
    // It holds 32 members and 512 characters at most, and none of a longer one.
    ...(typeof tracestate === "string" && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(span) ? traceApi.setSpanContext(ROOT_CONTEXT, span) : undefined;
}
