"use client";

import { useSyncExternalStore } from "react";

/** False on the server and while React takes over what the server has drawn; true from then on, and in all that comes later. */
export const usePageRuns = (): boolean => useSyncExternalStore(never, isTrue, isFalse);

const never = () => () => {};
const isTrue = () => true;
const isFalse = () => false;
