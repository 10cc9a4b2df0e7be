"use client";

import { createElement, type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { useAgents } from "@/lib/client/conversation/agents";
import { useAssistants } from "@/lib/client/conversation/assistants";
import { useResources } from "@/lib/client/servers/library";
import { usePresets } from "@/lib/client/servers/presets";
import { useServers } from "@/lib/client/servers/servers";
import type { McpPromptItem, McpResourceItem } from "@/lib/protocol/mcp-offers";
import type { Prompt } from "@/lib/protocol/prompts";
import { useAgentName } from "./agent-picker";
import { PresetServers } from "./preset-servers";
import { useCommands } from "./use-commands";
import type { SendChoices } from "./use-send-options";

const maxShown = 50;

export interface Suggestion {
  key: string;
  label: string;
  note: ReactNode;
  take(): void;
}

export interface Suggestions {
  items: readonly Suggestion[];
  /** Which of them Enter takes. */
  at: number;
  /** Whether it was for the list. */
  onKey(event: React.KeyboardEvent): boolean;
}

export interface SuggestionTargets {
  options: SendChoices;
  setText(text: string): void;
  chooseAgent(id: string): void;
  openPrompt(prompt: McpPromptItem): void;
  openOwnPrompt(prompt: Prompt): void;
  openResource(resource: McpResourceItem, isTemplate: boolean): void;
}

/** What `@…` and `/…` at the start and `#…` at the end of a message can mean; a list to go through with the arrows. */
export function useSuggestions(text: string, targets: SuggestionTargets): Suggestions {
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const found = useFound(text, targets);
  const items = closedFor === text ? [] : found;
  const here = Math.min(at, Math.max(items.length - 1, 0));
  return {
    items: items.map((item) => ({
      ...item,
      take: () => {
        setAt(0);
        item.take();
      },
    })),
    at: here,
    onKey: (event) => {
      const item = items[here];
      if (!item || event.nativeEvent.isComposing) return false;
      const { key } = event;
      if (key === "ArrowDown" || key === "ArrowUp")
        setAt((here + (key === "ArrowDown" ? 1 : items.length - 1)) % items.length);
      else if (key === "Enter" || key === "Tab") {
        setAt(0);
        item.take();
      } else if (key === "Escape") setClosedFor(text);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

function useFound(text: string, targets: SuggestionTargets): Suggestion[] {
  const t = useTranslations("chat.library");
  const { options, setText } = targets;
  const mention = /^@([^\s@]*)$/.exec(text)?.[1]?.toLowerCase();
  const command = /^\/([^\n]{0,60})$/.exec(text)?.[1];
  const [, before = "", hash] = /^(|[\s\S]*\s)#([^\s#]*)$/.exec(text) ?? [];
  const agents = useMentions(mention, targets);
  const isUsed = (server: string) => options.servers === null || options.servers.includes(server);
  const commands = useCommands(command, isUsed);
  const resources = useResources(hash !== undefined).data;
  if (mention !== undefined) return agents;
  if (command !== undefined)
    return commands.map((found, index) => ({
      key: `${found.kind}-${index}-${found.name}`,
      label: `/${found.name}`,
      note: found.kind === "skill" ? `${t("skill")} · ${found.note}` : found.note,
      take: () => {
        setText(found.kind === "skill" ? t("useSkill", { name: found.name }) : "");
        if (found.kind === "own") targets.openOwnPrompt(found.prompt);
        else if (found.kind === "prompt") targets.openPrompt(found.prompt);
      },
    }));
  if (hash === undefined || !resources) return [];
  const toItem = (isTemplate: boolean) => (resource: McpResourceItem) => ({
    key: `${isTemplate ? "template" : "resource"}-${resource.server}-${resource.uri}`,
    label: `#${resource.title ?? resource.name}`,
    note: [resource.server, isTemplate ? t("template") : "", resource.uri].filter(Boolean).join(" · "),
    take: () => {
      setText(before.trimEnd());
      targets.openResource(resource, isTemplate);
    },
  });
  const fits = ({ server, name, title, uri }: McpResourceItem) =>
    isUsed(server) && `${title ?? ""} ${name} ${server} ${uri}`.toLowerCase().includes(hash.toLowerCase());
  return [
    ...resources.templates.filter(fits).map(toItem(true)),
    ...resources.items.filter(fits).map(toItem(false)),
  ].slice(0, maxShown);
}

/** Agents and assistants that answer, and presets and servers to which a conversation can be held. */
function useMentions(typed: string | undefined, targets: SuggestionTargets): Suggestion[] {
  const t = useTranslations("chat.library");
  const nameOf = useAgentName();
  const agents = useAgents().data?.items ?? [];
  const servers = useServers().data?.items ?? [];
  const presets = usePresets().data?.items ?? [];
  const assistants = useAssistants().data?.items ?? [];
  const { options, setText, chooseAgent } = targets;
  if (typed === undefined) return [];
  return [
    ...agents
      .filter(({ id }) => id.toLowerCase().startsWith(typed))
      .map((item) => ({
        key: `agent-${item.id}`,
        label: `@${item.id}`,
        note: nameOf(item),
        take: () => {
          chooseAgent(item.id);
          setText("");
        },
      })),
    ...assistants
      .filter(({ name }) => name.toLowerCase().includes(typed))
      .map((assistant) => ({
        key: `assistant-${assistant.id}`,
        label: `@${assistant.name}`,
        note: assistant.description || t("assistant"),
        take: () => {
          options.setAssistant(assistant);
          setText("");
        },
      })),
    ...presets
      .filter(({ name }) => name.toLowerCase().includes(typed))
      .map(({ id, name, servers: held }) => ({
        key: `preset-${id}`,
        label: `@${name}`,
        note: createElement(PresetServers, { servers: held }),
        take: () => {
          options.setServers(held);
          setText("");
        },
      })),
    ...servers
      .filter(({ name, enabled }) => enabled && name.toLowerCase().startsWith(typed))
      .map(({ name }) => ({
        key: `server-${name}`,
        label: `@${name}`,
        note: t("onlyServer"),
        take: () => {
          // The first one narrows the choice, each further one is added.
          options.setServers([...new Set([...(options.servers ?? []), name])]);
          setText("");
        },
      })),
  ].slice(0, maxShown);
}
