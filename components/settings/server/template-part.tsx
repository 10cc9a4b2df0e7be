"use client";

import { useTranslations } from "use-intl";
import ArgumentsForm from "@/components/chat/composer/arguments-form";
import { completeArgument, variablesOf } from "@/lib/client/servers/library";
import { readResource } from "@/lib/client/servers/server-actions";
import { expandTemplate } from "@/lib/client/text/library-text";
import type { McpResourceItem } from "@/lib/protocol/mcp-offers";
import type { ToolContent } from "@/lib/protocol/message";
import { Shown } from "./resource-part";
import { useAsk } from "./use-ask";

/** The form of the composer, here without the frame that lifts it off the page. */
export const libraryFormClass = "pt-3 [&_form]:m-0 [&_form]:max-h-none [&_form]:border-0 [&_form]:p-0";

/** A resource whose address has to be filled in; the server completes what is typed, where it can. */
export function TemplatePart({ server, template }: { server: string; template: McpResourceItem }) {
  const t = useTranslations("server.resources");
  const { value, failure, busy, ask } = useAsk<{ uri: string; content: ToolContent[] }>();
  const { uri, title, name, description } = template;
  const fields = variablesOf(uri).map((variable) => ({ name: variable, description: null, required: false }));
  return (
    <div className={libraryFormClass}>
      <p className="mb-3 text-mach">
        <code className="text-[12px] wrap-anywhere">{uri}</code>
      </p>
      <ArgumentsForm
        title={title ?? name}
        description={description}
        fields={fields}
        submitLabel={t("read")}
        busy={busy}
        failure={failure}
        complete={(variable, typed, others) =>
          completeArgument(server, { type: "resource", uri }, { name: variable, value: typed }, others)
        }
        onSubmit={(values) =>
          ask(async () => {
            const address = expandTemplate(uri, values);
            return { uri: address, content: await readResource(server, address) };
          })
        }
      />
      {value && (
        <section aria-label={value.uri} className="mt-3">
          <p className="text-micro text-ink-3 wrap-anywhere">{value.uri}</p>
          <Shown content={value.content} server={server} />
        </section>
      )}
    </div>
  );
}
