"use client";

import { useEffect, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Table } from "@/components/ui/table";
import { readCsv } from "@/lib/client/text/csv";
import { cutPlain } from "@/lib/client/text/markdown-pieces";
import { payloadLook } from "./payload";

export interface FilePreviewProps {
  /** Where the file is; its text is there, too. */
  address: string;
  mediaType: string;
}

/** Rows and characters that are shown; all of it is in the file. */
const maxRows = 200;
const maxColumns = 50;
const maxChars = 100_000;

/** What models read of a file: rows as a table, JSON with a line for each value, of a PDF the words of its pages. */
export default function FilePreview({ address, mediaType }: FilePreviewProps) {
  const t = useTranslations("chat.file");
  const text = useText(address);
  const { rows, plain } = useMemo(
    () => readAs(mediaType, typeof text === "string" ? text : ""),
    [mediaType, text],
  );
  if (text === null) return null;
  if (text === false)
    return (
      <p className="meta" role="alert">
        {t("notShown")}
      </p>
    );
  const [head = [], ...others] = rows ?? [];
  const isCut = rows ? others.length > maxRows || head.length > maxColumns : plain.length > maxChars;
  return (
    <div className="mt-2 max-w-160">
      {rows ? (
        <div className="max-h-[60dvh] overflow-y-auto">
          <Table
            columns={head.slice(0, maxColumns).map((name, at) => name || String(at + 1))}
            rows={others.slice(0, maxRows).map((row) => row.slice(0, maxColumns))}
          />
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        <pre className={cn(payloadLook, "max-h-[60dvh]")} tabIndex={0}>
          {cutPlain(plain.slice(0, maxChars)).map((piece, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a file never changes
            <span key={at}>{piece}</span>
          ))}
        </pre>
      )}
      {isCut && <p className="meta">{t("beginning")}</p>}
    </div>
  );
}

/** Null until it has come, false when it cannot be had. */
function useText(address: string): string | false | null {
  const [text, setText] = useState<string | false | null>(null);
  useEffect(() => {
    const leave = new AbortController();
    fetch(`${address}?as=text`, { signal: leave.signal })
      .then(async (response) => setText(response.ok && (await response.text())))
      .catch(() => !leave.signal.aborted && setText(false));
    return () => leave.abort();
  }, [address]);
  return text;
}

function readAs(mediaType: string, text: string): { rows?: string[][]; plain: string } {
  if (mediaType === "text/csv") {
    const rows = readCsv(text, maxRows + 2);
    if (rows.length > 1) return { rows, plain: text };
  }
  if (!/json/.test(mediaType)) return { plain: text };
  try {
    return { plain: JSON.stringify(JSON.parse(text), null, 2) };
  } catch {
    return { plain: text };
  }
}
