"use client";

import { useTranslations } from "use-intl";
import { FormRow } from "@/components/settings/form-row";
import { useAct } from "@/components/settings/use-act";
import { Switch } from "@/components/ui/controls/switch";
import { changeSettings, useSettings } from "@/lib/client/settings/settings";
import { ownToolNames } from "@/lib/protocol/agents";

/** Whether one's programs have this agent as a tool; applied at once. */
export function AgentAsTool({ id }: { id: string }) {
  const t = useTranslations("settings.agents.tool");
  const act = useAct();
  const { data } = useSettings();
  if (!data) return null;
  const { agentTools } = data;
  const isTaken = ownToolNames.includes(id);
  const others = agentTools.filter((name) => name !== id);
  return (
    <section aria-label={t("label")} className="py-2 rule-t">
      <FormRow label={t("label")} hint={t(isTaken ? "taken" : "hint")}>
        {({ id: control, described }) => (
          <Switch
            id={control}
            {...described}
            label={t("label")}
            disabled={isTaken}
            checked={agentTools.includes(id) && !isTaken}
            onChange={(isOn) =>
              void act(() => changeSettings({ agentTools: isOn ? [...others, id] : others }))
            }
          />
        )}
      </FormRow>
    </section>
  );
}
