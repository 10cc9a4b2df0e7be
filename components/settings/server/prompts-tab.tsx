"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import ArgumentsForm from "@/components/chat/composer/arguments-form";
import { LoadState } from "@/components/settings/load-state";
import { completeArgument, getPrompt, refreshPrompts, usePrompts } from "@/lib/client/servers/library";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { McpPromptItem, McpPromptText } from "@/lib/protocol/mcp-offers";
import { OfferList } from "./offer-list";
import { Shown } from "./resource-part";
import { libraryFormClass } from "./template-part";
import { TwoParts } from "./two-parts";
import { useAsk } from "./use-ask";

/** The prompts of the server, and what the chosen one becomes with its arguments. */
export default function PromptsTab({ server }: { server: McpServerItem }) {
  const t = useTranslations("server.prompts");
  const { data, error } = usePrompts(true);
  const [chosen, setChosen] = useState<string | null>(null);
  if (server.prompts === 0) return <p className="mt-4 text-ink-3">{t("none")}</p>;
  if (!data) return <LoadState error={error} onRetry={refreshPrompts} />;
  const prompts = data.filter((prompt) => prompt.server === server.name);
  const prompt = prompts.find(({ name }) => name === chosen);
  return (
    <TwoParts
      isChosen={chosen !== null}
      onBack={() => setChosen(null)}
      list={
        <OfferList
          title={t("list")}
          offers={prompts.map(({ name, title, description }) => ({
            ...{ id: name, name: title ?? name, note: description },
          }))}
          chosen={chosen}
          onChoose={setChosen}
        />
      }
    >
      {prompt ? (
        <PromptPart key={prompt.name} prompt={prompt} />
      ) : (
        <p className="pt-3 text-ink-3">{t("choose")}</p>
      )}
    </TwoParts>
  );
}

function PromptPart({ prompt }: { prompt: McpPromptItem }) {
  const t = useTranslations("server.prompts");
  const { value, failure, busy, ask } = useAsk<McpPromptText>();
  const { server, name, title, description } = prompt;
  return (
    <div className={libraryFormClass}>
      <ArgumentsForm
        title={title ?? name}
        description={description}
        fields={prompt.arguments}
        submitLabel={t("preview")}
        busy={busy}
        failure={failure}
        complete={(argument, typed, others) =>
          completeArgument(server, { type: "prompt", name }, { name: argument, value: typed }, others)
        }
        onSubmit={(args) => ask(() => getPrompt(server, name, args))}
      />
      {value && (
        <section aria-label={t("result")} className="mt-3">
          {value.messages.map(({ role, content }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages of a prompt have no identity but their place
            <div key={at} className="mt-3">
              <p className="text-micro text-ink-3">{t(role)}</p>
              <Shown content={content} server={server} />
            </div>
          ))}
        </section>
      )}
    </div>
  );
}
