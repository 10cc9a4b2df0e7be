"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/** A link whose page is fetched ahead when the pointer or the focus comes to it: sooner it would hold up the page that it stands on. */
export function NearLink(props: Omit<ComponentProps<typeof Link>, "prefetch">) {
  const [near, setNear] = useState(false);
  const come = () => setNear(true);
  return <Link {...props} prefetch={near ? null : false} onMouseEnter={come} onFocus={come} />;
}
