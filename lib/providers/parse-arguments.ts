/** The JSON object that a model wrote as arguments; nothing written is an empty one. */
export function parseArguments(input: string): Record<string, unknown> | undefined {
  if (!input.trim()) return {};
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
