"use client";

import { createContext } from "react";

/** Whether a conversation holds the calls of another program: what is allowed in it is allowed for its session, and a no is told to it. */
export const OfProgram = createContext(false);
