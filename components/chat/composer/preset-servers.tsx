"use client";

import { Fragment } from "react";
import { useTranslations } from "use-intl";
import { useServers } from "@/lib/client/servers/servers";

const maxShown = 4;

/** The servers of a preset by their names; those that are not set up any more are struck. */
export function PresetServers({ servers }: { servers: readonly string[] }) {
  const t = useTranslations("chat.presets");
  const isThere = useIsThere();
  if (servers.length === 0) return t("empty");
  return (
    <>
      {servers.slice(0, maxShown).map((name, index) => (
        <Fragment key={name}>
          {index > 0 && t("comma")}
          {isThere(name) ? name : <Gone name={name} />}
        </Fragment>
      ))}
      {servers.length > maxShown && t("andMore", { count: servers.length - maxShown })}
    </>
  );
}

/** For readers too: a line through a word is not heard. */
export function Gone({ name }: { name: string }) {
  const t = useTranslations("chat.presets");
  return (
    <>
      <s>{name}</s>
      <span className="sr-only"> {t("gone")}</span>
    </>
  );
}

/** Whether a server of this name is set up; all are while that is not known. */
export function useIsThere(): (name: string) => boolean {
  const { data } = useServers();
  return (name) => !data || data.items.some((server) => server.name === name);
}
