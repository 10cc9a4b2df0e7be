"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { Rows } from "@/components/settings/rows";
import { Section } from "@/components/settings/section";
import { Button } from "@/components/ui/controls/button";
import { refreshSettings, useSettings } from "@/lib/client/settings/settings";
import type { EndpointItem } from "@/lib/protocol/settings";
import { EndpointRow } from "./endpoint-row";

const EndpointForm = dynamic(() => import("./endpoint-form"));

/** The named endpoints: those of the environment to look at, the others to be changed. */
export function EndpointList() {
  const t = useTranslations("settings.models.endpoints");
  const { data, error } = useSettings();
  const [editing, setEditing] = useState<EndpointItem | "new" | null>(null);
  const endpoints = data?.endpoints ?? [];
  const edited = editing === "new" || editing === null ? undefined : editing;
  // The built-in ones are taken as well.
  const taken = [...endpoints, ...(data?.providers ?? []), { id: "demo" }].map(({ id }) => id);
  return (
    <div className="mt-8">
      <Section
        title={t("title")}
        note={t("lede")}
        action={
          <Button small icon="plus" disabled={!data} onClick={() => setEditing("new")}>
            {t("add")}
          </Button>
        }
      >
        {!data && <LoadState lines={1} error={error} onRetry={refreshSettings} />}
        {endpoints.length > 0 && (
          <Rows inSection aria-label={t("title")}>
            {endpoints.map((endpoint) => (
              <EndpointRow key={endpoint.id} endpoint={endpoint} onEdit={() => setEditing(endpoint)} />
            ))}
          </Rows>
        )}
        {data && endpoints.length === 0 && <p className="py-2 text-ink-2">{t("none")}</p>}
        {editing && <EndpointForm endpoint={edited} taken={taken} onClose={() => setEditing(null)} />}
      </Section>
    </div>
  );
}
