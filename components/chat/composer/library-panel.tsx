"use client";

import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { completeArgument, getPrompt, variablesOf } from "@/lib/client/servers/library";
import { readResource } from "@/lib/client/servers/server-actions";
import { expandTemplate, filesIn, promptText, resourceFiles } from "@/lib/client/text/library-text";
import type { McpPromptItem, McpResourceItem } from "@/lib/protocol/mcp-offers";
import type { Prompt } from "@/lib/protocol/prompts";
import ArgumentsForm from "./arguments-form";
import { OwnPromptForm } from "./own-prompt-form";

type OfServer =
  | { kind: "prompt"; prompt: McpPromptItem }
  | { kind: "resource" | "template"; resource: McpResourceItem };

export type Picked = OfServer | { kind: "own"; prompt: Prompt };

export interface LibraryPanelProps {
  picked: Picked;
  insert(text: string): void;
  attach(files: readonly File[]): void;
  onClose(): void;
}

/** Asks for what a prompt or an address needs, then puts the text into the message field or attaches what came. */
export default function LibraryPanel({ picked, insert, attach, onClose }: LibraryPanelProps) {
  if (picked.kind !== "own")
    return <ServerPanel picked={picked} insert={insert} attach={attach} onClose={onClose} />;
  return (
    <OwnPromptForm
      prompt={picked.prompt}
      onCancel={onClose}
      onFilled={(text) => {
        insert(text);
        onClose();
      }}
    />
  );
}

function ServerPanel({ picked, insert, attach, onClose }: LibraryPanelProps & { picked: OfServer }) {
  const t = useTranslations("chat.library");
  const errorText = useErrorText();
  const fields = fieldsOf(picked);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const use = async (values: Record<string, string>) => {
    setBusy(true);
    setFailure(null);
    try {
      if (picked.kind === "prompt") {
        const { server, name } = picked.prompt;
        const got = await getPrompt(server, name, values);
        insert(promptText(got));
        attach(got.messages.flatMap(({ content }) => filesIn(content, name)));
      } else {
        const { server, uri: address, mediaType } = picked.resource;
        const uri = picked.kind === "template" ? expandTemplate(address, values) : address;
        attach(resourceFiles(await readResource(server, uri), { uri, mediaType }));
      }
      onClose();
    } catch (error) {
      setFailure(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  const needsNothing = fields.length === 0;
  const begun = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as it was chosen
  useEffect(() => {
    if (needsNothing && !begun.current) void use({});
    begun.current = true;
  }, []);
  if (needsNothing && failure === null)
    return (
      <p className="mb-2 rounded-control border border-rule bg-paper px-3.5 py-3 meta" role="status">
        {t("reading")}
      </p>
    );
  const { server, title, name, description } = picked.kind === "prompt" ? picked.prompt : picked.resource;
  const ref =
    picked.kind === "prompt"
      ? { type: "prompt" as const, name }
      : { type: "resource" as const, uri: picked.resource.uri };
  return (
    <ArgumentsForm
      title={`${server} · ${title ?? name}`}
      description={description}
      fields={fields}
      submitLabel={t(picked.kind === "prompt" ? "insert" : "attach")}
      busy={busy}
      failure={failure}
      complete={(argument, value, others) => completeArgument(server, ref, { name: argument, value }, others)}
      onSubmit={(values) => void use(values)}
      onCancel={onClose}
    />
  );
}

function fieldsOf(picked: OfServer) {
  if (picked.kind === "prompt") return picked.prompt.arguments;
  if (picked.kind === "resource") return [];
  return variablesOf(picked.resource.uri).map((name) => ({ name, description: null, required: true }));
}
