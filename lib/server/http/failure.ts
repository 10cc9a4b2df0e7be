import { HttpError } from "./errors";
import { failureOfStore, isConflict, isStoreError } from "./store-failure";

/** What is answered in place of what was thrown. `onFault` hears of what is no refusal. */
export function answerOf(cause: unknown, onFault: (cause: unknown) => void): HttpError {
  const known = toHttpError(cause);
  if (known) return known;
  onFault(cause);
  return (
    failureOfStore(cause) ??
    new HttpError(500, "internal", "Something went wrong on our side; the log says more.")
  );
}

/** What a handler says, and what the store says of an input that no schema can check. */
export function toHttpError(cause: unknown): HttpError | undefined {
  if (cause instanceof HttpError) return cause;
  if (!(cause instanceof Error)) return undefined;
  if (cause.name === "BadCursorError")
    return new HttpError(400, "invalid_input", "cursor: not one of ours; start again without it.");
  if (isStoreError(cause) && cause.code === "not_found")
    return new HttpError(404, "not_found", cause.message);
  if (isConflict(cause))
    return new HttpError(409, "conflict", "This has changed meanwhile; reload and try again.");
  return undefined;
}
