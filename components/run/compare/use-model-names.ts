"use client";

import { useModels } from "@/lib/client/conversation/models";

/** What models are called, by their ids. */
export function useModelNames(): (id: string) => string {
  const { data } = useModels();
  return (id) => data?.items.find((item) => item.id === id)?.name ?? id.slice(id.indexOf("/") + 1);
}
