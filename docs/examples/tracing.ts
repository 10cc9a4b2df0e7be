import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { RunTrace, withTracedCalls, withTracedTurns } from "@/lib/agent/with-tracing";
import { calls, question, says, scripted } from "./support";
import { deleter } from "./tools";

const spans = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer(
  "example",
);
const trace = new RunTrace(tracer, { provider: "openai", model: "gpt-5-mini" });

const result = await executeWithTools({
  provider: withTracedTurns(scripted(calls("notes__delete", { name: "a" }), says("Done.")), trace),
  tools: withTracedCalls(deleter, trace),
  system: "",
  history: question("Delete a"),
  signal: AbortSignal.timeout(60_000),
});
trace.end(result);

export const output = spans.getFinishedSpans().map(({ name }) => name);
// ["chat gpt-5-mini", "execute_tool notes__delete", "iteration 1", "chat gpt-5-mini", "iteration 2", "invoke_agent meguri"]
