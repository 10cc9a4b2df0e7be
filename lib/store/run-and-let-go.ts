import type { SQLInputValue, StatementSync } from "node:sqlite";

/** Together, in characters and bytes; of fewer a statement may keep its copy. */
const large = 65_536;

/**
 * Runs a statement, and makes it let go of parameters that are large: SQLite keeps its copy of them until the statement gets
 * the next ones, which may never be.
 */
export function runAndLetGo(
  statement: StatementSync,
  parameters: SQLInputValue[],
): ReturnType<StatementSync["run"]> {
  try {
    return statement.run(...parameters);
  } finally {
    if (sizeOf(parameters) >= large) letGo(statement);
  }
}

const sizeOf = (parameters: readonly SQLInputValue[]): number =>
  parameters.reduce<number>(
    (sum, value) => (typeof value === "string" || value instanceof Uint8Array ? sum + value.length : sum),
    0,
  );

/** To be refused a parameter clears those before it, and runs nothing. */
function letGo(statement: StatementSync): void {
  try {
    statement.run(refused);
  } catch {
    // As it should be.
  }
}

const refused = Symbol("no parameter") as unknown as SQLInputValue;
