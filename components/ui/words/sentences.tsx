"use client";

import { createContext, type ReactNode, use, useCallback, useEffect, useState } from "react";
import type { Translate } from "@/lib/client/text/sentences";

const same: Translate = (text) => text;
const Context = createContext<Translate>(same);

export interface ServerLanguageProps {
  /** Loaded once the page stands; undefined where the server's own language is spoken. */
  load: (() => Promise<Translate>) | undefined;
  children: ReactNode;
}

/** Below it the sentences of the server are in the language of the page, as soon as that is loaded. */
export function ServerLanguage({ load, children }: ServerLanguageProps) {
  const [translate, setTranslate] = useState<Translate>(() => same);
  useEffect(() => {
    let isCurrent = true;
    load?.().then(
      (loaded) => {
        if (isCurrent) setTranslate(() => loaded);
      },
      // English is better than no page; the next one tries again.
      () => {},
    );
    return () => {
      isCurrent = false;
      setTranslate(() => same);
    };
  }, [load]);
  return <Context value={translate}>{children}</Context>;
}

/** What a page has brought along of these sentences: as the server has drawn it, until all of them are loaded. */
export function KnownSentences({
  said,
  children,
}: {
  said: Readonly<Record<string, string>>;
  children: ReactNode;
}) {
  const outer = use(Context);
  const known = useCallback<Translate>(
    (text) => (Object.hasOwn(said, text) ? said[text] : undefined) ?? text,
    [said],
  );
  return <Context value={outer === same ? known : outer}>{children}</Context>;
}

/** Puts what the server wrote for people into the language of the page; what it only passes on stays as it is. */
export function useSentence(): Translate {
  return use(Context);
}
