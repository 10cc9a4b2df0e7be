import { StoreError } from "./errors";

export type Parameter = string | number | bigint | Uint8Array | null;

/**
 * A value of a query as every engine takes it: booleans as 0 and 1, text without what PostgreSQL refuses. An `invalid`
 * StoreError for what drivers would store as something else: `node:sqlite` an object in the first place as NULL.
 */
export function toParameter(value: unknown, index: number): Parameter {
  switch (typeof value) {
    case "string":
      return plainText(value);
    case "bigint":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      break;
    case "boolean":
      return value ? 1 : 0;
    case "object":
      if (value === null || value instanceof Uint8Array) return value;
      break;
    case "undefined":
    case "function":
    case "symbol":
  }
  throw new StoreError(
    "invalid",
    `Parameter ${index + 1} of a query is a ${kindOf(value)}, which no column holds.`,
  );
}

/** Without NUL and halves of surrogate pairs, which only titles and names can have: JSON has both escaped. */
export const plainText = (text: string): string =>
  text.isWellFormed() && !text.includes("\0") ? text : text.replace(/[\0\p{Surrogate}]/gu, "");

const kindOf = (value: unknown): string =>
  typeof value === "object"
    ? (value?.constructor?.name ?? "object")
    : typeof value === "number"
      ? `${value}`
      : typeof value;
