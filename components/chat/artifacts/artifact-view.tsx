import { memo, type RefObject, useEffect, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { FenceFrame } from "@/components/chat/markdown/fenced-code";
import MarkdownText from "@/components/chat/markdown/markdown-text";
import type { ArtifactKind } from "@/lib/client/text/artifact-of";
import { CodeView } from "./code-view";
import { drawingWeight } from "./drawing-weight";
import { ProgramAsk, type ProgramAskProps, ProgramView } from "./program-view";

export interface ArtifactViewProps extends ProgramAskProps {
  kind: ArtifactKind;
  code: string;
  language: string;
  name: string;
  isGrowing: boolean;
  showsCode: boolean;
  runs: boolean;
  scroller: RefObject<HTMLElement | null>;
}

/** A version of an artifact: as what it is, or as its code. What is being written is code. */
export function ArtifactView({ kind, code, name, isGrowing, showsCode, runs, ...rest }: ArtifactViewProps) {
  if (kind === "code" || showsCode || isGrowing)
    return <CodeView code={code} language={rest.language} isGrowing={isGrowing} scroller={rest.scroller} />;
  switch (kind) {
    case "html":
      return runs ? <ProgramView key={code} html={code} title={name} /> : <ProgramAsk {...rest} />;
    case "svg":
      return <Drawing code={code} name={name} />;
    case "markdown":
      return <Document text={code} />;
  }
}

/** Its code stays code, as it belongs to the document. */
const Document = memo(function Document({ text }: { text: string }) {
  return (
    <FenceFrame value={null}>
      <div className="mx-auto max-w-180 p-6 phone:p-4">
        <MarkdownText text={text} growing={false} />
      </div>
    </FenceFrame>
  );
});

/** As a picture: in one no script runs, and nothing is fetched. */
const Drawing = memo(function Drawing({ code, name }: { code: string; name: string }) {
  const t = useTranslations("chat.artifact");
  const address = useBlob(code);
  const isHeavy = useMemo(() => drawingWeight(code) > maxWeight, [code]);
  const [isBroken, setBroken] = useState(false);
  if (isBroken || isHeavy) return <p className="p-6 text-mach text-ink-2">{t("brokenDrawing")}</p>;
  return (
    address && (
      // biome-ignore lint/performance/noImgElement: what is in memory has nothing to optimise
      <img
        src={address}
        alt={name}
        className="block h-auto max-h-full w-full bg-paper object-contain p-6"
        onError={() => setBroken(true)}
      />
    )
  );
});

/** Elements, those counted again that others refer to. A browser draws them in the thread of our page. */
const maxWeight = 100_000;

function useBlob(svg: string): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    // A picture has to say its name space, which a model leaves out where it writes for a page.
    const whole = /\sxmlns\s*=/.test(svg.slice(0, 2_000))
      ? svg
      : svg.replace(/<svg(?=[\s/>])/, '<svg xmlns="http://www.w3.org/2000/svg"');
    const url = URL.createObjectURL(new Blob([whole], { type: "image/svg+xml" }));
    setAddress(url);
    return () => URL.revokeObjectURL(url);
  }, [svg]);
  return address;
}
