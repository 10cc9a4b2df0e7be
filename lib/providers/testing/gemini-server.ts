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
