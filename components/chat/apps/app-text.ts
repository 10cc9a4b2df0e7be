import { createContext } from "react";

/** Puts text of an app into the message field, and never sends it; null where nothing can be written. */
export const AppText = createContext<((text: string) => boolean) | null>(null);
