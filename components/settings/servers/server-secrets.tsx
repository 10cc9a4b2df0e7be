"use client";

import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { notify } from "@/components/ui/toast";
import { serverActions } from "@/lib/client/servers/server-actions";
import type { McpServerItem } from "@/lib/protocol/mcp";

/** The secrets of a server: entered, replaced and deleted by name, and never shown. `missing`: only those it waits for. */
export function ServerSecrets({ server, missing = false }: { server: McpServerItem; missing?: boolean }) {
  const t = useTranslations("settings.servers.secrets");
  const shown = server.secrets.filter(({ stored }) => !missing || !stored);
  if (shown.length === 0) return null;
  return (
    <section aria-label={t("title", { name: server.name })} className="mt-3 max-w-[600px]">
      <h2 className="text-micro text-ink-3">{t("heading")}</h2>
      <ul>
        {shown.map((secret) => (
          <Secret key={secret.name} server={server.name} secret={secret} />
        ))}
      </ul>
    </section>
  );
}

interface SecretProps {
  server: string;
  secret: McpServerItem["secrets"][number];
}

function Secret({ server, secret: { name, stored, used } }: SecretProps) {
  const t = useTranslations("settings.servers.secrets");
  const act = useAct();
  const [entering, setEntering] = useState(!stored);
  const [value, setValue] = useState("");
  const store = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await act(() => serverActions.changeSecrets(server, { [name]: value })))) return;
    setValue("");
    setEntering(false);
    notify(t("kept", { name }));
  };
  const state = t(stored ? (used ? "stored" : "unused") : "absent");
  if (!entering)
    return (
      <li className="flex flex-wrap items-center gap-2 py-1">
        <code className="text-[12px]">{name}</code>
        <span className="mr-auto text-micro text-ink-3">{state}</span>
        <Button small onClick={() => setEntering(true)}>
          {t(stored ? "replace" : "enter")}
        </Button>
        {stored && (
          <Button
            small
            tone="quiet"
            aria-label={t("deleteName", { name })}
            onClick={() => act(() => serverActions.changeSecrets(server, { [name]: null }))}
          >
            {t("delete")}
          </Button>
        )}
      </li>
    );
  return (
    <li className="py-1">
      <form className="flex items-end gap-2" onSubmit={store}>
        <Field
          className="flex-1"
          label={stored ? name : `${name}: ${state}`}
          type="password"
          autoComplete="off"
          mono
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        <Button type="submit" disabled={value === ""}>
          {t("store")}
        </Button>
      </form>
    </li>
  );
}
