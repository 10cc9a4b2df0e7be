"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "@/components/ui/code/code-block";
import { TextButton } from "@/components/ui/controls/text-button";
import { indentJson, parsed } from "@/lib/client/run/read-json";
import { JsonTree } from "./json-tree";

/** An answer that was held to a schema: a table where it is a list of one kind, else a tree; raw on request. */
export function JsonAnswer({ text }: { text: string }) {
  const t = useTranslations("chat.tool");
  const [raw, setRaw] = useState(false);
  const value = parsed(text);
  return (
    <div className="grid justify-items-start gap-2 pt-1 *:max-w-full">
      {raw || value === undefined ? (
        <CodeBlock language="json">
          <code>{indentJson(text)}</code>
        </CodeBlock>
      ) : (
        <JsonTree value={value} />
      )}
      <TextButton aria-pressed={raw} onClick={() => setRaw(!raw)}>
        {raw ? t("readable") : t("raw")}
      </TextButton>
    </div>
  );
}
