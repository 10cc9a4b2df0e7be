"use client";

import { useEffect, useRef, useState } from "react";
import { useErrorText } from "@/components/ui/words/use-error-text";

/** Something that a server is asked for: on its way, here, or why not. Of several only the last one counts. */
export function useAsk<Value>() {
  const errorText = useErrorText();
  const [value, setValue] = useState<Value | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const last = useRef(0);
  useEffect(
    () => () => {
      last.current = -1;
    },
    [],
  );
  const ask = async (load: () => Promise<Value>) => {
    const turn = ++last.current;
    setBusy(true);
    setFailure(null);
    try {
      const found = await load();
      if (turn === last.current) setValue(found);
    } catch (error) {
      if (turn === last.current) setFailure(errorText(error));
    }
    if (turn === last.current) setBusy(false);
  };
  return { value, failure, busy, ask };
}
