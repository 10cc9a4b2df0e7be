import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface OtlpSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code: number };
}

/** Takes traces over HTTP, as the collectors of OpenTelemetry do, until the tests of a file are over. */
export async function startCollector(): Promise<{ url: string; spans: OtlpSpan[] }> {
  const spans: OtlpSpan[] = [];
  const collector = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    for (const resource of JSON.parse(Buffer.concat(pieces).toString()).resourceSpans)
      for (const scope of resource.scopeSpans) spans.push(...scope.spans);
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  afterAll(() => collector.close());
  return { url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`, spans };
}

/** The attributes of a span by their names. */
export const attributesOf = ({ attributes }: OtlpSpan): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
