"use client";

import { type ComponentType, createContext, type ReactNode, useContext } from "react";

export interface FenceFrameProps {
  code: string;
  /** It is being written. */
  open: boolean;
  /** The code as it is drawn in the text. */
  children: ReactNode;
}

/** What may draw a block of code in another way, as the row of a document that opens beside; null where nothing does. */
export const FenceFrame = createContext<ComponentType<FenceFrameProps> | null>(null);

/** A block of code, in the frame that the place has for it. */
export function FencedCode({ children, ...props }: FenceFrameProps) {
  const Frame = useContext(FenceFrame);
  return Frame ? <Frame {...props}>{children}</Frame> : children;
}
