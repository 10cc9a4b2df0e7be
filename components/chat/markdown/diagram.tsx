"use client";

import { useTheme } from "next-themes";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { latePart, useLatePart } from "@/components/ui/late-part";
import type { LightboxProps } from "@/components/ui/layers/lightbox";
import { notifyFailure } from "@/components/ui/toast";
import { type DiagramLook, type DrawnDiagram, drawDiagram } from "./diagram-frame";

export interface DiagramProps {
  text: string;
  /** Its source as code: until it is drawn, and where it cannot be. */
  children: ReactNode;
}

const lightbox = latePart<LightboxProps>(() => import("@/components/ui/layers/lightbox"));

/** A diagram between two hairlines, never lower than its source was, with the source behind a button. */
export default function Diagram({ text, children }: DiagramProps) {
  const t = useTranslations("chat.diagram");
  const errors = useTranslations("errors");
  const drawn = useDrawn(text);
  const [showsSource, setShowsSource] = useState(false);
  const [isLarge, setLarge] = useState(false);
  const Lightbox = useLatePart(lightbox, isLarge, () => {
    setLarge(false);
    notifyFailure(errors("outdated"));
  });
  const frame = useRef<HTMLDivElement>(null);
  const floor = useRef(0);
  const [minHeight, setMinHeight] = useState(0);
  const isDrawn = drawn !== null && !("why" in drawn);
  useLayoutEffect(() => {
    if (isDrawn) setMinHeight(floor.current);
    else floor.current = frame.current?.offsetHeight ?? 0;
  }, [isDrawn]);
  if (!isDrawn)
    return (
      <div ref={frame}>
        {children}
        {drawn && (
          <p className="meta" role="status">
            {t(drawn.why)} {drawn.detail && <code>{drawn.detail}</code>}
          </p>
        )}
      </div>
    );
  const { src, width, height, title } = drawn;
  const alt = title === "" ? t("name") : t("named", { title });
  return (
    <div data-frame="" className="relative grid place-items-center pt-4 pb-9 rule-y" style={{ minHeight }}>
      {showsSource ? (
        <div className="w-full">{children}</div>
      ) : (
        // biome-ignore lint/performance/noImgElement: a data: URL has nothing to optimise
        <img src={src} width={width} height={height} alt={alt} className="h-auto max-w-full" />
      )}
      <div className="absolute right-0 bottom-1 flex items-center gap-1 text-micro text-ink-3">
        <span>mermaid</span>
        <IconButton
          icon="source"
          iconSize={14}
          label={t("source")}
          aria-pressed={showsSource}
          onClick={() => setShowsSource(!showsSource)}
        />
        <CopyButton label={t("copy")} text={() => text} />
        <IconButton
          icon="expand"
          iconSize={14}
          label={t("enlarge")}
          tipSide="right-edge"
          aria-haspopup="dialog"
          onClick={() => setLarge(true)}
        />
      </div>
      {Lightbox && <Lightbox images={[{ src, alt }]} first={0} onClose={() => setLarge(false)} />}
    </div>
  );
}

/** Drawn again when the theme changes; until then the other one stays. */
function useDrawn(text: string): DrawnDiagram | null {
  const { resolvedTheme } = useTheme();
  const [drawn, setDrawn] = useState<{ text: string; drawn: DrawnDiagram } | null>(null);
  useEffect(() => {
    let isOver = false;
    const draw = () =>
      void drawDiagram(text, lookOf(resolvedTheme === "dark")).then((next) => {
        if (!isOver) setDrawn({ text, drawn: next });
      });
    // Styles follow the theme a moment later.
    const moment = requestAnimationFrame(draw);
    return () => {
      isOver = true;
      cancelAnimationFrame(moment);
    };
  }, [text, resolvedTheme]);
  return drawn?.text === text ? drawn.drawn : null;
}

/** The inks of the page, by the names that Mermaid has for them. */
function lookOf(dark: boolean): DiagramLook {
  const style = getComputedStyle(document.documentElement);
  const ink = (name: string) => style.getPropertyValue(name).trim();
  const [paper, border, line] = [ink("--paper"), ink("--rule-2"), ink("--ink-2")];
  return {
    dark,
    variables: {
      ...{
        background: paper,
        primaryColor: paper,
        secondaryColor: ink("--paper-2"),
        tertiaryColor: ink("--paper-3"),
      },
      ...{
        primaryTextColor: ink("--ink"),
        secondaryTextColor: ink("--ink"),
        tertiaryTextColor: ink("--ink"),
      },
      ...{ primaryBorderColor: border, secondaryBorderColor: border, tertiaryBorderColor: border },
      ...{
        lineColor: line,
        textColor: ink("--ink"),
        edgeLabelBackground: paper,
        noteBkgColor: ink("--paper-2"),
      },
      ...{
        noteBorderColor: border,
        noteTextColor: ink("--ink"),
        clusterBkg: ink("--paper-2"),
        clusterBorder: border,
      },
      ...{ titleColor: ink("--ink"), fontFamily: ink("--font-text"), fontSize: "13px" },
      // Mermaid's own is grey, which on dark paper is a glow.
      dropShadow: "none",
    },
  };
}
