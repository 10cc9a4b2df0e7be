import { z } from "zod";

/** An object with whatever names: a record of zod's would drop one called `__proto__` without a word. */
export const anyObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "must be an object",
  )
  .meta({ type: "object", additionalProperties: {} });
