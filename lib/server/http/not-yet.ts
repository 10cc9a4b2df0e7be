import { z } from "zod";
import { notSupported } from "./errors";

/** A field of the contract that is not built yet: 422 rather than silence. */
export const notYet = (what: string) =>
  z
    .unknown()
    .optional()
    .transform((value) => {
      if (value !== undefined) throw notSupported(what);
      return undefined;
    });
