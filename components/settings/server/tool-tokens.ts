import type { McpToolItem } from "@/lib/protocol/http";
import { tokensOf } from "@/lib/protocol/tokens-of";

const counted = new WeakMap<object, number>();

/** About what a tool costs in each request to a model. */
export function tokensOfTool({ qualifiedName, description, inputSchema }: McpToolItem): number {
  let tokens = counted.get(inputSchema);
  if (tokens === undefined) {
    tokens = tokensOf(qualifiedName) + tokensOf(description) + tokensOf(JSON.stringify(inputSchema));
    counted.set(inputSchema, tokens);
  }
  return tokens;
}
