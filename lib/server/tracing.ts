import type { Tracer } from "@opentelemetry/api";
import type { Env } from "./env";
import { version } from "./version";

export interface Tracing {
  tracer: Tracer;
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
  return {
    tracer: provider.getTracer("meguri", version),
    close: () => provider.shutdown().catch(() => {}), // a collector that is away must not keep us from ending
  };
}
