import {
  Gemini,
  InMemorySessionService,
  LlmAgent,
  LogLevel,
  MCPToolset,
  Runner,
  StreamingMode,
  setLogLevel,
} from "@google/adk";

const system = "You are a model in a benchmark.";
const appName = "bench";
const userId = "bench";

/** ADK: a session of its own for each conversation. It speaks Gemini's wire only. */
export async function open({ gemini, mcp }) {
  setLogLevel(LogLevel.ERROR);
  process.env.GOOGLE_GEMINI_BASE_URL = new URL(gemini).origin;
  const toolset = new MCPToolset(
    mcp.url
      ? { type: "StreamableHTTPConnectionParams", url: mcp.url }
      : { type: "StdioConnectionParams", serverParams: mcp },
  );
  const model = new Gemini({ model: "test-model", apiKey: "none" });
  const agent = new LlmAgent({ name: "bench", model, instruction: system, tools: [toolset] });
  const sessionService = new InMemorySessionService();
  const runner = new Runner({ appName, agent, sessionService });
  return { run: (task) => run(runner, sessionService, task) };
}

async function run(runner, sessionService, task) {
  const session = await sessionService.createSession({ appName, userId });
  for (const event of eventsOf(task)) await sessionService.appendEvent({ session, event });
  const outcome = { text: "", toolResults: 0, pieces: 0 };
  try {
    for await (const event of runner.runAsync({
      userId,
      sessionId: session.id,
      newMessage: { role: "user", parts: [{ text: task.question }] },
      runConfig: { streamingMode: StreamingMode.SSE, maxLlmCalls: task.maxTurns },
      ...(task.signal && { abortSignal: task.signal }),
    }))
      read(event, outcome);
  } finally {
    await sessionService.deleteSession({ appName, userId, sessionId: session.id });
  }
  return outcome;
}

function read(event, outcome) {
  if (event.errorCode) outcome.ended = event.errorCode;
  else if (event.finishReason) outcome.ended = event.finishReason;
  for (const part of event.content?.parts ?? []) {
    if (part.functionResponse) outcome.toolResults++;
    else if (part.functionCall) outcome.text = "";
    else if (part.text && event.partial) {
      outcome.text += part.text;
      outcome.pieces++;
    }
  }
}

let ids = 0;
function eventsOf({ question, history, pending }) {
  const event = (author, role, parts) => ({
    id: `event_${ids++}`,
    invocationId: "before",
    author,
    timestamp: Date.now(),
    content: { role, parts },
    actions: {
      stateDelta: {},
      artifactDelta: {},
      requestedAuthConfigs: {},
      requestedToolConfirmations: {},
    },
  });
  const call = { functionCall: { id: "call_0", name: "echo", args: { text: "pending" } } };
  return [
    ...history.flatMap(({ user, model }) => [
      event("user", "user", [{ text: user }]),
      event("bench", "model", [{ text: model }]),
    ]),
    ...(pending ? [event("user", "user", [{ text: question }]), event("bench", "model", [call])] : []),
  ];
}
