"use client";

import type { ReactNode } from "react";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { useTranslations } from "use-intl";
import { markdownPolicy } from "@/components/ui/code/markdown-policy";
import { NearLink } from "@/components/ui/near-link";

/** A page of the documentation that came with this version; `links` are the addresses of those that it may lead to. */
export function DocPage({ text, links }: { text: string; links: Record<string, string> }) {
  const t = useTranslations("settings.about");
  return (
    <>
      <p className="mb-4 text-micro">
        <NearLink href="/settings/about">{t("title")}</NearLink>
      </p>
      <div lang="en" className="markdown">
        <Markdown
          remarkPlugins={[remarkGfm]}
          components={{ ...markdownPolicy, a: DocLink, img: () => null, h1: DocTitle }}
          urlTransform={(url) => (/^https?:\/\//.test(url) ? url : (links[url] ?? ""))}
        >
          {text}
        </Markdown>
      </div>
    </>
  );
}

function DocLink({ node, href, children }: Parameters<typeof markdownPolicy.a>[0]) {
  if (!href?.startsWith("/")) return markdownPolicy.a({ node, href, children });
  return <NearLink href={href}>{children}</NearLink>;
}

function DocTitle({ children }: { children?: ReactNode }) {
  return <h1 className="text-title">{children}</h1>;
}
