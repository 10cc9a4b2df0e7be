import { createContext, useContext } from "react";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ShareSnapshot } from "@/lib/protocol/shares";

type Withheld = NonNullable<ShareSnapshot["withheld"]>;

/** Calls of which a shared page does not have everything. */
export const WithheldCalls = createContext<Withheld>({});

export const useWithheld = (id: ToolCallId): Withheld[string] | undefined => {
  const calls = useContext(WithheldCalls);
  return Object.hasOwn(calls, id) ? calls[id] : undefined;
};
