"use client";

import { Activity, memo, type ReactNode } from "react";

/**
 * A part of the page that React takes over after the rest of it, when there is time, or at once when somebody presses something
 * in it. What the server has drawn stands there all the while. A change of `children` makes it haste: pass what stays the same.
 */
export const TakenLater = memo(function TakenLater({ children }: { children: ReactNode }) {
  return <Activity>{children}</Activity>;
});
