"use client";

import { useTranslations } from "use-intl";
import type { DataFlow } from "@/lib/protocol/chunk";
import { showInvisible } from "@/lib/protocol/show-invisible";

/** What the arguments of a call carry from other servers, and where. */
export function DataFlows({ flows }: { flows: readonly DataFlow[] }) {
  const t = useTranslations("chat.card.flow");
  return (
    <ul className="mb-2 flex flex-col gap-1 text-mach text-ink-2">
      {flows.map(({ server, tool, argument, characters, excerpt }) => (
        <li key={JSON.stringify([server, tool])} className="wrap-anywhere">
          {t.rich("carries", {
            argument: () => <code className="text-[12px] text-ink">{showInvisible(argument)}</code>,
            source: () => (
              <b className="font-semibold text-ink">{showInvisible(tool ? `${server} · ${tool}` : server)}</b>
            ),
            count: characters,
          })}
          <q className="mt-0.5 block truncate text-[12px] text-ink-3">
            {showInvisible(excerpt.replaceAll(/\s+/g, " "))}
            {characters > excerpt.length && "…"}
          </q>
        </li>
      ))}
    </ul>
  );
}

/** The servers that it is from. */
export const sourcesOf = (flows: readonly DataFlow[]): string[] => [
  ...new Set(flows.map(({ server }) => server)),
];
