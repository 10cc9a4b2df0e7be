"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { completeArgument, getPrompt, variablesOf } from "@/lib/client/servers/library";
import { readResource } from "@/lib/client/servers/servers";
import type { McpPromptItem, McpResourceItem } from "@/lib/protocol/mcp-offers";

const argumentsForm = latePart(() => import("./arguments-form"));

type Picked =
  | { kind: "prompt"; prompt: McpPromptItem }
  | { kind: "resource" | "template"; resource: McpResourceItem };

export interface LibraryTargets {
  /** Puts the text of a prompt before what is written. */
  insert(text: string): void;
  attach(files: readonly File[]): void;
  focus(): void;
}

/** Prompts that are put into the message field and resources that are attached; `panel` asks for what they need. */
export function useLibrary({ insert, attach, focus }: LibraryTargets) {
  const t = useTranslations("chat.library");
  const errorText = useErrorText();
  const [picked, setPicked] = useState<Picked | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const close = () => {
    setPicked(null);
    setFailure(null);
    focus();
  };
  const use = async (what: Picked, values: Record<string, string>) => {
    setBusy(true);
    setFailure(null);
    try {
      const { expandTemplate, filesIn, promptText, resourceFiles } = await import(
        "@/lib/client/text/library-text"
      );
      if (what.kind === "prompt") {
        const got = await getPrompt(what.prompt.server, what.prompt.name, values);
        insert(promptText(got));
        attach(got.messages.flatMap(({ content }) => filesIn(content, what.prompt.name)));
      } else {
        const { server, uri: address, mediaType } = what.resource;
        const uri = what.kind === "template" ? expandTemplate(address, values) : address;
        attach(resourceFiles(await readResource(server, uri), { uri, mediaType }));
      }
      close();
    } catch (error) {
      setFailure(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  const pick = (what: Picked, needsForm: boolean) => {
    setPicked(what);
    setFailure(null);
    if (!needsForm) void use(what, {});
  };
  return {
    openPrompt: (prompt: McpPromptItem) => pick({ kind: "prompt", prompt }, prompt.arguments.length > 0),
    openResource: (resource: McpResourceItem, isTemplate: boolean) =>
      pick({ kind: isTemplate ? "template" : "resource", resource }, isTemplate),
    panel: picked && (
      <Panel
        picked={picked}
        busy={busy}
        failure={failure}
        reading={t("reading")}
        onCancel={close}
        onUse={use}
      />
    ),
  };
}

interface PanelProps {
  picked: Picked;
  busy: boolean;
  failure: string | null;
  reading: string;
  onCancel(): void;
  onUse(what: Picked, values: Record<string, string>): Promise<void>;
}

function Panel({ picked, busy, failure, reading, onCancel, onUse }: PanelProps): ReactNode {
  const t = useTranslations("chat.library");
  const fields = fieldsOf(picked);
  const isForm = fields.length > 0 || failure !== null;
  const ArgumentsForm = useLatePart(argumentsForm, isForm);
  const { server, title, name, description } = picked.kind === "prompt" ? picked.prompt : picked.resource;
  if (!isForm)
    return (
      <p className="mb-2 rounded-control border border-rule bg-paper px-3.5 py-3 meta" role="status">
        {reading}
      </p>
    );
  const ref =
    picked.kind === "prompt"
      ? { type: "prompt" as const, name }
      : { type: "resource" as const, uri: picked.resource.uri };
  return (
    ArgumentsForm && (
      <ArgumentsForm
        key={`${server}/${name}`}
        title={`${server} · ${title ?? name}`}
        description={description}
        fields={fields}
        submitLabel={t(picked.kind === "prompt" ? "insert" : "attach")}
        busy={busy}
        failure={failure}
        complete={(argument, value, others) =>
          completeArgument(server, ref, { name: argument, value }, others)
        }
        onSubmit={(values) => void onUse(picked, values)}
        onCancel={onCancel}
      />
    )
  );
}

function fieldsOf(picked: Picked) {
  if (picked.kind === "prompt") return picked.prompt.arguments;
  if (picked.kind === "resource") return [];
  return variablesOf(picked.resource.uri).map((name) => ({ name, description: null, required: true }));
}
