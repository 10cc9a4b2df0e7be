import type { ComponentProps, ReactNode } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "./code-block";

/**
 * What a model may put on the page: no raw HTML (react-markdown's own rule), no picture from a foreign host, no link
 * that can reach back. Give it to react-markdown as `components`, with `urlTransform={safeUrl}`.
 */
export const markdownPolicy = {
  a: SafeLink,
  img: SafeImage,
  input: TaskMark,
  pre: SafePre,
  table: SafeTable,
  th: ({ node: _, style, ...rest }: Cell<"th">) => <th scope="col" className={aligned(style)} {...rest} />,
  td: ({ node: _, style, ...rest }: Cell<"td">) => <td className={aligned(style)} {...rest} />,
};

/** Keeps web and mail addresses and anchors, and pictures that come along as data; anything else becomes no link at all. */
export function safeUrl(url: string, key: string): string {
  if (key === "src" && /^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(url)) return url;
  return /^(?:https?:\/\/|mailto:|#)/i.test(url) ? url : "";
}

/** The host that a link goes to, for showing it in words; undefined for what is no web address. */
export function hostOf(url: string): string | undefined {
  return /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).host : undefined;
}

interface Node {
  node?: unknown;
}
type Cell<Tag extends "td" | "th"> = ComponentProps<Tag> & Node;

function SafeLink({ node: _, href, children, ...rest }: ComponentProps<"a"> & Node) {
  if (!href) return <>{children}</>;
  if (href.startsWith("#"))
    return (
      <a href={href} {...rest}>
        {children}
      </a>
    );
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** A foreign picture is a link with its host in words: showing an answer never tells anybody that it was read. */
function SafeImage({ src, alt }: ComponentProps<"img"> & Node) {
  if (typeof src !== "string" || src === "") return <>{alt}</>;
  // biome-ignore lint/performance/noImgElement: a data: URL has nothing to optimise
  if (src.startsWith("data:")) return <img src={src} alt={alt ?? ""} className="max-w-full" />;
  const host = hostOf(src);
  return (
    <a href={src} target="_blank" rel="noopener noreferrer">
      {alt || host}
      {alt && host && <span className="away"> ({host})</span>}
    </a>
  );
}

/** The box of a task list, with its state in words for readers. */
function TaskMark({ checked }: ComponentProps<"input"> & Node) {
  const t = useTranslations("common");
  return (
    <input
      type="checkbox"
      disabled
      checked={checked === true}
      aria-label={t(checked ? "taskDone" : "taskOpen")}
      readOnly
    />
  );
}

/** Code without highlighting. The live chat replaces this one entry. */
function SafePre({ children }: ComponentProps<"pre"> & Node) {
  return <CodeBlock language={languageOf(children)}>{children}</CodeBlock>;
}

/** The language of a fence, from the class that react-markdown gives its `<code>`. */
export function languageOf(code: ReactNode): string | undefined {
  if (!code || typeof code !== "object" || !("props" in code)) return undefined;
  const { className } = code.props as { className?: string };
  return className?.match(/language-([\w+#.-]+)/)?.[1];
}

function SafeTable({ children }: ComponentProps<"table"> & Node) {
  return (
    <div data-frame="" className="more-beside max-w-full overflow-x-auto [scrollbar-width:thin]">
      <table>{children}</table>
    </div>
  );
}

function aligned(style: ComponentProps<"td">["style"]): string | undefined {
  return style?.textAlign === "right" ? "num" : undefined;
}
