"use client";

import { useCallback } from "react";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";

/** Does something that may fail, and says so if it does. True when it went well. */
export function useAct(): (work: () => Promise<unknown>) => Promise<boolean> {
  const errorText = useErrorText();
  return useCallback(
    async (work) => {
      try {
        await work();
        return true;
      } catch (error) {
        notifyFailure(errorText(error));
        return false;
      }
    },
    [errorText],
  );
}
