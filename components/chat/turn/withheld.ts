import { createContext, useContext } from "react";
import type { ShareSnapshot } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";

type Withheld = NonNullable<ShareSnapshot["withheld"]>;

/** Calls of which a shared page does not have everything. */
export const WithheldCalls = createContext<Withheld>({});

export const useWithheld = (id: ToolCallId): Withheld[string] | undefined => {
  const calls = useContext(WithheldCalls);
  return Object.hasOwn(calls, id) ? calls[id] : undefined;
};
