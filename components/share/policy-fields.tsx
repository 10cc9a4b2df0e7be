"use client";

import { useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { Choice } from "@/components/ui/controls/choice";
import { Switch } from "@/components/ui/controls/switch";
import { shownOf } from "@/lib/protocol/share-policy";
import type { SharePolicy, ShareSnapshot, ShownOfCall } from "@/lib/protocol/shares";
import { showInvisible } from "@/lib/protocol/show-invisible";

export interface PolicyFieldsProps {
  policy: SharePolicy;
  preview: ShareSnapshot;
  onChange(policy: SharePolicy): void;
}

const choices: readonly ShownOfCall[] = ["full", "summary", "hidden"];

/** How much of calls, thoughts and files a link shows: a rule for all calls, and exceptions for those of the conversation. */
export function PolicyFields({ policy, preview, onChange }: PolicyFieldsProps) {
  const t = useTranslations("share.policy");
  const options = choices.map((value) => ({ value, label: t(`shown.${value}`) }));
  const tools = toolsIn(preview);
  const setTool = (name: string, shown: ShownOfCall) =>
    onChange({ ...policy, tools: { ...policy.tools, [name]: shown } });
  return (
    <div>
      {tools.length > 0 && (
        <>
          <Row name={t("calls")}>
            <Choice
              label={t("calls")}
              options={options}
              value={policy.default}
              // A rule for all of them: what was said of single ones before is over.
              onChange={(shown) => onChange({ ...policy, default: shown, tools: {} })}
            />
          </Row>
          <section aria-label={t("tools")} className="max-h-60 overflow-y-auto thin-bar">
            {tools.map(({ name, server, tool }) => (
              <Row
                key={name}
                name={
                  <>
                    {server && <b className="font-semibold">{server}</b>}
                    {server && <span className="px-1 text-ink-3">·</span>}
                    {showInvisible(tool)}
                  </>
                }
              >
                <Choice
                  label={t("shownOf", { tool })}
                  options={options}
                  value={shownOf(name, policy)}
                  onChange={(shown) => setTool(name, shown)}
                />
              </Row>
            ))}
          </section>
        </>
      )}
      <Row name={t("reasoning")}>
        <Switch
          label={t("reasoning")}
          checked={policy.reasoning}
          onChange={(reasoning) => onChange({ ...policy, reasoning })}
        />
      </Row>
      <Row name={t("files")}>
        <Switch
          label={t("files")}
          checked={policy.attachments}
          onChange={(attachments) => onChange({ ...policy, attachments })}
        />
      </Row>
    </div>
  );
}

function Row({ name, children }: { name: React.ReactNode; children: React.ReactNode }) {
  return (
    <div className="flex min-h-8 items-center justify-between gap-x-4 rule-b phone:min-h-11">
      <span aria-hidden="true" className="min-w-0 truncate py-1">
        {name}
      </span>
      <span className="flex-none">{children}</span>
    </div>
  );
}

/** Each tool once, in the order of its first call. */
function toolsIn({ messages }: ShareSnapshot) {
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? message.parts.filter((part) => part.type === "tool_call") : [],
  );
  const byName = new Map(calls.map((call) => [call.name, { name: call.name, ...toolName(call) }]));
  return [...byName.values()];
}
