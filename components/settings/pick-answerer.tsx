"use client";

import { useLocale } from "use-intl";
import { useAgents } from "@/lib/client/conversation/agents";
import { useModels } from "@/lib/client/conversation/models";
import { PickOne, type PickOneProps } from "./pick-one";

type PickProps = Omit<PickOneProps, "options">;

export function PickModel(props: PickProps) {
  const models = useModels().data?.items ?? [];
  const options = models.map(({ id, name, provider }) => ({ value: id, label: `${name} · ${provider}` }));
  return <PickOne {...props} options={options} />;
}

/** Nothing where there are no agents and none is chosen. */
export function PickAgent(props: PickProps) {
  const locale = useLocale();
  const agents = useAgents().data?.items ?? [];
  if (agents.length === 0 && props.value === "") return null;
  const options = agents.map(({ id, name }) => ({ value: id, label: locale === "ja" ? name.ja : name.en }));
  return <PickOne {...props} options={options} />;
}
