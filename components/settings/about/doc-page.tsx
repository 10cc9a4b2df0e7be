"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { useTranslations } from "use-intl";
import { markdownPolicy } from "@/components/ui/code/markdown-policy";

/** A page of the documentation that came with this version; `links` are the addresses of those that it may lead to. */
export function DocPage({ text, links }: { text: string; links: Record<string, string> }) {
  const t = useTranslations("settings.about");
  return (
    <>
      <p className="mb-4 text-micro">
        <Link href="/settings/about">{t("title")}</Link>
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
  return <Link href={href}>{children}</Link>;
}

function DocTitle({ children }: { children?: ReactNode }) {
  return <h1 className="text-title">{children}</h1>;
}
