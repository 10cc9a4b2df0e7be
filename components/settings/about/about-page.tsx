"use client";

import { useTranslations } from "use-intl";
import { PageHead } from "@/components/settings/page-head";
import { Rows } from "@/components/settings/rows";
import { Section } from "@/components/settings/section";
import { NearLink } from "@/components/ui/near-link";
import type { About, DocName } from "@/lib/protocol/about";

/** Which version this is, what it is made of, how well it speaks MCP, and where to read more. */
export function AboutPage({ about, docs }: { about: About; docs: readonly DocName[] }) {
  const t = useTranslations("settings.about");
  const count = about.licenses.reduce((sum, { packages }) => sum + packages.length, 0);
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>} />
      <Section title={t("versions")}>
        <Facts
          facts={[
            ["Meguri", about.version],
            ["Node.js", about.node],
            ["SQLite", about.sqlite],
          ]}
        />
      </Section>
      <Section title={t("conformance")} note={t("conformanceNote")}>
        <Facts
          facts={about.conformance.map(({ scope, of, passed, total }) => [
            t(`suite.${scope}`, { of }),
            t("score", { passed, total }),
          ])}
        />
        <p className="mt-2">
          <NearLink href="/settings/about/conformance">{t("scenarios")}</NearLink>
        </p>
      </Section>
      <Section title={t("docs")} note={t("docsNote")}>
        <Rows inSection>
          {docs.map((name) => (
            <li key={name} className="rule-t">
              <NearLink href={`/settings/about/${name}`} className="flex min-h-9 items-center phone:min-h-11">
                {t(`doc.${name}`)}
              </NearLink>
            </li>
          ))}
          <li className="rule-t">
            <a href="/api/openapi.json" className="flex min-h-9 items-center phone:min-h-11">
              OpenAPI
            </a>
          </li>
        </Rows>
      </Section>
      <Section title={t("licenses")} note={t("licensesNote", { count })}>
        <Rows inSection>
          {about.licenses.map(({ license, packages }) => (
            <li key={license} className="rule-t">
              <details>
                <summary className="flex min-h-9 cursor-pointer items-center gap-3 phone:min-h-11">
                  <span className="min-w-0 flex-1 wrap-anywhere">{license || t("unstated")}</span>
                  <small className="text-micro text-ink-3">{packages.length}</small>
                </summary>
                <p className="pb-3 font-mono text-micro text-ink-2 wrap-anywhere">{packages.join(", ")}</p>
              </details>
            </li>
          ))}
        </Rows>
      </Section>
    </>
  );
}

function Facts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div key={name} className="flex min-h-9 items-center gap-4 not-first:rule-t">
          <dt className="min-w-0 flex-1">{name}</dt>
          <dd className="tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
