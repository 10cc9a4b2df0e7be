"use client";

import { useState } from "react";
import { useServers } from "@/lib/client/servers/servers";

/** The picture of a server, which our own server fetches; where there is none, or that fails, nothing. */
export function ServerIcon({ name, className }: { name: string; className: string }) {
  const { data } = useServers();
  const [isBroken, setBroken] = useState(false);
  const server = data?.items.find((item) => item.name === name);
  if (!server?.hasIcon || isBroken) return null;
  return (
    // biome-ignore lint/performance/noImgElement: a picture of 16 px from our own API gains nothing from the optimiser
    <img
      className={className}
      src={`/api/mcp/servers/${encodeURIComponent(name)}/icon`}
      alt=""
      width={14}
      height={14}
      onError={() => setBroken(true)}
    />
  );
}
