import type { ToolCallId } from "@/lib/protocol/ids";

/** Providers send ids twice or none at all, so every call gets one of ours. Without dashes: OpenAI allows 40 characters. */
export const newCallId = (): ToolCallId => `call_${crypto.randomUUID().replaceAll("-", "")}` as ToolCallId;
