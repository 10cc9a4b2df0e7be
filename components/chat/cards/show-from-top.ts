"use client";

import { createContext } from "react";

/** Called with a card that opens, so that one that is taller than the window is seen from its top; returns what ends it. */
export const ShowFromTop = createContext<(card: HTMLElement) => () => void>(() => () => {});
