import type { Provider, Turn } from "./ports";

/**
 * Has the model call tools as it is told: none at all, or in the first turn any or one of them. From then on it chooses itself, or
 * it would never come to an answer.
 */
export function withToolChoice(
  provider: Provider,
  choice: NonNullable<Turn["toolChoice"]>,
  { isFirstTurn = true }: { isFirstTurn?: boolean } = {},
): Provider {
  let isFirst = isFirstTurn;
  return {
    stream(turn) {
      const holds = turn.toolChoice === undefined && (isFirst || choice === "none");
      isFirst = false;
      return provider.stream(holds && turn.tools.length > 0 ? { ...turn, toolChoice: choice } : turn);
    },
  };
}
