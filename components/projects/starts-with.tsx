"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Icon, type IconName } from "@/components/ui/icon";
import { Menu } from "@/components/ui/layers/menu";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { findAssistant, useAssistants } from "@/lib/client/conversation/assistants";
import { type ProjectPatch, projectActions } from "@/lib/client/conversation/projects";
import { useServers } from "@/lib/client/servers/servers";
import type { ProjectDetail } from "@/lib/protocol/projects";
import { lineLook, Part } from "./part";

/** What a conversation of the project uses until another is chosen for it. */
export function StartsWith({ project }: { project: ProjectDetail }) {
  const t = useTranslations("projects.page");
  return (
    <Part title={t("startsWith")}>
      <ul>
        <AssistantLine project={project} />
        <ServersLine project={project} />
      </ul>
    </Part>
  );
}

function AssistantLine({ project }: { project: ProjectDetail }) {
  const t = useTranslations("projects.page");
  const change = useChange(project.id);
  const { data } = useAssistants();
  const chosen = project.assistant;
  const known = findAssistant(chosen, data);
  const entries = [
    ...[{ id: null, name: t("noAssistant") }, ...(data?.items ?? [])].map(
      ({ id, name }): MenuEntry => ({
        kind: "choice",
        label: name,
        chosen: (chosen ?? null) === id,
        onSelect: () => change({ assistant: id }),
      }),
    ),
  ];
  return (
    <Line icon="person" label={t("changeAssistant")} entries={entries}>
      {chosen === undefined ? t("noAssistant") : (known?.name ?? (data ? t("goneAssistant") : ""))}
    </Line>
  );
}

function ServersLine({ project }: { project: ProjectDetail }) {
  const t = useTranslations("projects.page");
  const change = useChange(project.id);
  const { data } = useServers();
  const { servers } = project;
  const there = data?.items.filter(({ enabled }) => enabled).map(({ name }) => name) ?? [];
  // Those that are not configured any more stay named until they are taken out.
  const names = [...new Set([...there, ...(servers ?? [])])];
  const toggle = (name: string) => {
    const before = servers ?? there;
    change({
      servers: before.includes(name) ? before.filter((other) => other !== name) : [...before, name],
    });
  };
  const entries: MenuEntry[] = [
    {
      kind: "choice",
      label: t("allServers"),
      chosen: servers === undefined,
      onSelect: () => change({ servers: null }),
    },
    { kind: "rule" },
    ...names.map(
      (name): MenuEntry => ({
        kind: "choice",
        label: name,
        chosen: (servers ?? there).includes(name),
        onSelect: () => toggle(name),
      }),
    ),
  ];
  return (
    <Line icon="plug" label={t("changeServers")} entries={entries}>
      {servers === undefined ? t("allServers") : servers.length > 0 ? servers.join(", ") : t("noServers")}
    </Line>
  );
}

interface LineProps {
  icon: IconName;
  label: string;
  entries: readonly MenuEntry[];
  children: ReactNode;
}

function Line({ icon, label, entries, children }: LineProps) {
  const t = useTranslations("projects.page");
  return (
    <li className={lineLook}>
      <Icon name={icon} size={12} className="text-ink-3" />
      <span className="min-w-0 flex-1 truncate">{children}</span>
      <Menu
        align="end"
        entries={entries}
        trigger={{
          className: "min-h-7 px-1 text-micro text-ink-2 underline underline-offset-3 phone:min-h-11",
          "aria-label": label,
          children: t("change"),
        }}
      />
    </li>
  );
}

function useChange(id: string): (patch: ProjectPatch) => void {
  const errorText = useErrorText();
  return (patch) => void projectActions.change(id, patch).catch((cause) => notifyFailure(errorText(cause)));
}
