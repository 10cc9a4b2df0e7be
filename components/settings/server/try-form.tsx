"use client";

import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { useCallArguments } from "@/components/chat/cards/call-arguments";
import { Button } from "@/components/ui/controls/button";
import { TextArea } from "@/components/ui/controls/field";
import { ObjectFields } from "@/components/ui/schema/schema-field";
import { isObject } from "@/lib/client/servers/schema-draft";
import type { McpToolItem } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";

type Args = Record<string, unknown>;

export interface TryFormProps {
  tool: McpToolItem;
  initial: Args;
  isRunning: boolean;
  /** The form is to start again, with these arguments. */
  onRestart(args: Args): void;
  onCall(args: Args): void;
  onCancel(): void;
  /** What is done with the arguments besides a call; null while they cannot be read. */
  children(args: Args | null): ReactNode;
}

/** The arguments by their schema, or as the JSON that is sent. */
export function TryForm({ tool, initial, isRunning, onRestart, onCall, onCancel, children }: TryFormProps) {
  const t = useTranslations("server.try");
  const fields = useCallArguments(initial, tool.inputSchema);
  const [json, setJson] = useState<string | null>(null);
  const { args, fault }: Read = json === null ? { args: fields.isBroken ? null : fields.value } : read(json);
  const isEmpty =
    Object.keys(fields.value).length === 0 && Object.keys(fields.root.properties ?? {}).length === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (args && !isRunning) onCall(args);
  };
  const submitByKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
  };
  return (
    <form
      aria-label={t("args", { tool: tool.name })}
      className="mt-3"
      onSubmit={submit}
      onKeyDown={submitByKey}
    >
      {json !== null ? (
        <TextArea
          label={t("json")}
          mono
          rows={8}
          value={json}
          error={fault === undefined ? undefined : t("badJson", { reason: fault ?? t("noObject") })}
          onChange={({ target }) => setJson(target.value)}
        />
      ) : (
        !isEmpty && (
          <ObjectFields
            draft={{ ...fields, showsHints: true }}
            schema={fields.root}
            path={[]}
            value={fields.value}
          />
        )
      )}
      <div className="mt-4 flex flex-wrap items-center gap-2">
        {/* Two elements: one that became a submit button within its own click would call again at once. */}
        {isRunning ? (
          <Button key="cancel" tone="ink" onClick={onCancel}>
            {t("cancel")}
          </Button>
        ) : (
          <Button
            key="call"
            type="submit"
            tone="ink"
            keys="Mod+Enter"
            className="max-w-full"
            disabled={args === null}
          >
            <span className="truncate">{t("call", { tool: showInvisible(tool.name) })}</span>
          </Button>
        )}
        <Button
          tone="quiet"
          disabled={args === null}
          onClick={() => (json === null ? setJson(JSON.stringify(args, null, 2)) : args && onRestart(args))}
        >
          {t(json === null ? "asJson" : "asForm")}
        </Button>
      </div>
      {children(args)}
    </form>
  );
}

/** `fault` is null where it is JSON, and no object. */
interface Read {
  args: Args | null;
  fault?: string | null;
}

function read(json: string): Read {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? { args: value } : { args: null, fault: null };
  } catch (error) {
    return { args: null, fault: (error as Error).message };
  }
}
