import type { Wire } from "./wire-play";
import type { WireOptions } from "./wire-request";
import { type Script, startWireServer, type WireServer } from "./wire-server";

/** A server that speaks Gemini's `streamGenerateContent` on 127.0.0.1, by a script. Its `url` is a base URL. */
export const startGeminiServer = (script: Script, options?: WireOptions): Promise<WireServer> =>
  startWireServer(gemini, script, options);

interface Part {
  text?: string;
  functionResponse?: { response: { content?: unknown; error?: unknown } };
}
interface Content {
  role: string;
  parts: Part[];
}

const gemini: Wire = {
  basePath: "/v1beta",
  read(path, body) {
    const model = /\/models\/([^:]+):streamGenerateContent/.exec(path)?.[1];
    if (!model) return undefined;
    const contents = (body.contents ?? []) as Content[];
    const isResult = (content: Content) => content.parts.some((part) => part.functionResponse);
    const asked = contents.findLastIndex((content) => content.role === "user" && !isResult(content));
    const declared = (body.tools ?? []) as { functionDeclarations?: { name: string }[] }[];
    return {
      model,
      lastUserText: (contents[asked]?.parts ?? []).map((part) => part.text ?? "").join(""),
      toolResults: contents
        .slice(asked + 1)
        .flatMap((content) => content.parts)
        .flatMap(({ functionResponse }) =>
          functionResponse
            ? [textOf(functionResponse.response.error ?? functionResponse.response.content)]
            : [],
        ),
      tools: declared.flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name)),
    };
  },
  problems,
  other: (path, models) =>
    path.startsWith("/v1beta/models?") || path === "/v1beta/models"
      ? {
          models: [
            ...models.map((name) => ({
              name: `models/${name}`,
              displayName: name,
              inputTokenLimit: 1_048_576,
              supportedGenerationMethods: ["generateContent", "countTokens"],
              thinking: true,
            })),
            { name: "models/embedding-001", supportedGenerationMethods: ["embedContent"] },
          ],
        }
      : undefined,
  start: () => [],
  content(step) {
    switch (step.type) {
      case "text":
        return [candidate([{ text: step.content, ...signed(step.signature) }])];
      case "reasoning":
        return [candidate([{ text: step.content, thought: true, ...signed(step.signature) }])];
      case "calls":
        return [
          candidate(
            step.calls.map(({ name, args = {}, id, written, signature }) => ({
              functionCall: { name, args: written ?? args, ...(id && { id }) },
              ...signed(signature),
            })),
          ),
        ];
    }
  },
  end: (reason, { input, output, cached }) => [
    candidate([{ text: "" }], {
      finishReason: reason ?? "STOP",
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        totalTokenCount: input + output,
        ...(cached !== undefined && { cachedContentTokenCount: cached }),
      },
    }),
  ],
  error: (code, message) => ({ error: { code, message, status: statuses[code] ?? "UNKNOWN" } }),
};

const statuses: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const signed = (thoughtSignature: string | undefined) => (thoughtSignature ? { thoughtSignature } : {});

function candidate(parts: unknown[], more: { finishReason?: string; usageMetadata?: unknown } = {}): string {
  const { finishReason, usageMetadata } = more;
  return JSON.stringify({
    candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) }],
    ...(usageMetadata !== undefined && { usageMetadata }),
    modelVersion: "test",
    responseId: "response-1",
  });
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

interface GeminiPart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: unknown;
  functionCall?: { name: string; id?: string; args?: unknown };
  functionResponse?: { name: string; id?: string };
}

function* problems(body: Record<string, unknown>, model: string): Generator<string, undefined> {
  const contents = body.contents as { role: string; parts: GeminiPart[] }[];
  if (contents[0]?.role !== "user") yield "A request has to begin with a user turn.";
  if (contents.at(-1)?.role !== "user") yield "A request has to end with a user turn.";
  const asked = contents.findLastIndex(
    ({ role, parts }) => role === "user" && !parts.some((part) => part.functionResponse),
  );
  let open: string[] = [];
  for (const [index, { role, parts }] of contents.entries()) {
    const at = `contents[${index}]`;
    if (parts.length === 0) yield `${at}.parts must not be empty`;
    for (const part of parts)
      if (part.text === "" && !part.thoughtSignature)
        yield `${at}.parts: required oneof field 'data' must have one initialized field`;
    const names = (of: "functionCall" | "functionResponse") =>
      parts.flatMap((part) => (part[of] ? `${part[of].name} ${part[of].id ?? ""}` : []));
    if (names("functionResponse").join() !== open.join())
      yield `${at}: Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.`;
    open = names("functionCall");
    if (open.length === 0) continue;
    if (role !== "model" || contents[index - 1]?.role !== "user")
      yield "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    const first = parts.find((part) => part.functionCall);
    if (index > asked && model.startsWith("gemini-3") && !first?.thoughtSignature)
      yield `${at}: Function call is missing a thought_signature in functionCall parts.`;
  }
}
