import { z } from "zod";
import { providerTable } from "@/lib/providers/provider-table";

/** Fields of a named endpoint, as the settings and the environment write them. */

export const address = z
  .url({ protocol: /^https?$/, error: "must be a http:// or https:// address" })
  .max(500)
  .refine((text) => !/^https?:\/\/[^/]*@/.test(text), "must not hold a user name or password");

export const apiKey = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(500)
  .regex(/^[\x21-\x7e]+$/, "must be the key alone, without spaces");

const builtIn = new Set(["demo", ...providerTable.map(({ id }) => id)]);

export const endpointId = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,31}$/,
    "must have 1 to 32 lowercase letters, digits and hyphens, and begin with a letter",
  )
  .refine((id) => !builtIn.has(id), "is the id of a built-in provider; pick another one");

/** The connection's own, and what we write ourselves. */
const reservedHeaders =
  /^(host|connection|content-length|content-type|transfer-encoding|accept-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i;
const maxHeaders = 20;

export const headers = z
  .record(
    z
      .string()
      .max(100)
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "is not a name of a header")
      .refine((name) => !reservedHeaders.test(name), "is a header that cannot be set"),
    z
      .string()
      .trim()
      .max(4_000)
      .regex(/^[\x20-\x7e]+$/, "must be one line of ASCII text"),
  )
  .refine((table) => Object.keys(table).length <= maxHeaders, `may have at most ${maxHeaders} headers`);

const modelName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(200)
  .regex(/^\P{Cc}+$/u, "must be one line of text");

export const endpointFields = {
  id: endpointId,
  name: z.string().trim().min(1, "must not be empty").max(60),
  baseURL: address,
  api: z.enum(["auto", "responses", "chat"]).default("auto"),
  /** Each once; an empty list is none. */
  models: z
    .array(modelName)
    .max(500)
    .optional()
    .transform((names) => (names?.length ? [...new Set(names)] : undefined)),
};

export const maxEndpoints = 50;

/** Where in the list an id comes for the second time; -1 where none does. */
export const findTwice = (endpoints: readonly { id: string }[]): number =>
  endpoints.findIndex(({ id }, at) => endpoints.findIndex((other) => other.id === id) < at);
