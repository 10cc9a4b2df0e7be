"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Dialog } from "@/components/ui/layers/dialog";
import { saveText } from "@/components/ui/save-text";
import { Skeleton } from "@/components/ui/skeleton";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useGap } from "@/components/ui/words/use-gap";
import { type CreatedShare, createShare, shareFile, useShares } from "@/lib/client/settings/shares";
import { safeFileName } from "@/lib/client/text/safe-file-name";
import type { SharePolicy } from "@/lib/protocol/shares";
import { PolicyFields } from "./policy-fields";
import { useAuthor } from "./share-author";
import { askedOf, type Decisions, focusOpenFinding, openIn, ShareFindings } from "./share-findings";
import { ShareLink } from "./share-link";
import { ShareList } from "./share-list";
import { type ShareChoices, ShareOptions } from "./share-options";
import { SharePreview, WithPreview } from "./share-preview";
import { useLook } from "./use-look";

export interface ShareDialogProps {
  conversationId: string;
  title: string;
  open: boolean;
  onOpenChange(open: boolean): void;
}

/** Shows what would be public, makes a link or a file of it, and lists the links that there are. */
export default function ShareDialog({ open, ...rest }: ShareDialogProps) {
  return open ? <OpenDialog {...rest} /> : null;
}

/** What strangers see of the first conversation that somebody shares. */
const firstPolicy: SharePolicy = { default: "summary", tools: {}, reasoning: false, attachments: false };

const undecided: Decisions = { single: {} };

function OpenDialog({ conversationId, onOpenChange }: Omit<ShareDialogProps, "open">) {
  const t = useTranslations("share");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const { policy, setPolicy } = usePolicy();
  const [choices, setChoices] = useState<ShareChoices>({ expiry: "never", replay: false, author: false });
  const [decisions, setDecisions] = useState<Decisions>(undecided);
  const author = useAuthor(choices.author);
  const { look, busy, failure: lookFailure, retry } = useLook(conversationId, { policy, decisions, author });
  const [made, setMade] = useState<CreatedShare>();
  const [failure, setFailure] = useState<string>();
  const close = () => onOpenChange(false);

  const asked = () => ({
    ...(policy && { policy }),
    ...(author !== "" && { author: true as const }),
    ...askedOf(decisions),
  });
  const attempt = async (work: () => Promise<void>) => {
    setFailure(undefined);
    await work().catch((error: unknown) => setFailure(errorText(error)));
  };
  const make = () =>
    attempt(async () =>
      setMade(
        await createShare(conversationId, {
          ...asked(),
          ...expiryOf(choices),
          ...(choices.replay && { replay: true }),
        }),
      ),
    );
  const save = () =>
    attempt(async () =>
      saveText(
        `${safeFileName(look?.preview.title ?? "")}.html`,
        await shareFile(conversationId, asked()),
        "text/html",
      ),
    );
  // What is shown is not yet what was chosen.
  const waits = !look || busy;
  const findings = look?.findings ?? [];
  const open = openIn(findings, decisions).length;

  return (
    <Dialog
      title={made?.url ? t("created") : t("dialogTitle")}
      lede={made?.url ? t("createdLede") : t("dialogLede")}
      width={made?.url ? 560 : 1_080}
      closeLabel={common("close")}
      onClose={close}
      actions={
        <>
          <Button icon="download" className="mr-auto" disabled={waits || open > 0} onClick={save}>
            {t("download")}
          </Button>
          {!made?.url &&
            (open > 0 ? (
              <Button tone="ink" onClick={() => focusOpenFinding(findings, decisions)}>
                {t("findings.look", { count: open })}
              </Button>
            ) : (
              <Button tone="ink" disabled={waits} onClick={make}>
                {t("make")}
              </Button>
            ))}
        </>
      }
    >
      {made?.url && <ShareLink url={made.preview.replay ? `${made.url}?play` : made.url} />}
      {!look && !lookFailure && <Skeleton lines={2} height={24} label={t("reading")} />}
      {look && policy && !made?.url && (
        <WithPreview busy={busy} preview={<SharePreview {...look} />}>
          <ShareFindings findings={findings} decisions={decisions} onDecide={setDecisions} />
          <ShareOptions look={look} choices={choices} onChange={setChoices} />
          <PolicyFields policy={policy} preview={look.preview} onChange={setPolicy} />
        </WithPreview>
      )}
      <Failure text={failure ?? lookFailure} retry={lookFailure ? retry : undefined} />
      <LinksOf conversationId={conversationId} />
    </Dialog>
  );
}

/** Begins with what the newest link shows, as soon as the links are known. */
function usePolicy() {
  const { data, error } = useShares();
  const [chosen, setPolicy] = useState<SharePolicy>();
  const isKnown = data !== undefined || error !== undefined;
  const last = data?.items.find(({ policy }) => policy !== null)?.policy;
  const [begun, setBegun] = useState<SharePolicy>();
  if (!begun && isKnown) setBegun(last ?? firstPolicy);
  return { policy: chosen ?? begun, setPolicy };
}

function Failure({ text, retry }: { text: string | undefined; retry: (() => void) | undefined }) {
  const t = useTranslations("share");
  const common = useTranslations("common");
  const gap = useGap();
  if (text === undefined) return null;
  return (
    <div role="alert" className="mt-3 text-mach">
      <b className="font-semibold text-shu">{t("failed")}</b>
      {gap}
      {text}
      {retry && (
        <p className="mt-2">
          <Button onClick={retry}>{common("tryAgain")}</Button>
        </p>
      )}
    </div>
  );
}

function LinksOf({ conversationId }: { conversationId: string }) {
  const t = useTranslations("share");
  const { data } = useShares();
  const links = data?.items.filter((share) => share.conversationId === conversationId) ?? [];
  if (links.length === 0) return null;
  return (
    <section className="mt-6" aria-labelledby="share-links">
      <h3 id="share-links" className="mb-1 text-mach text-ink-2">
        {t("links")}
      </h3>
      <ShareList shares={links} withTitle={false} />
    </section>
  );
}

const days = { never: null, day: 1, week: 7, month: 30 } as const;

function expiryOf({ expiry }: ShareChoices): { expiresAt?: string } {
  const count = days[expiry];
  return count === null ? {} : { expiresAt: new Date(Date.now() + count * 86_400_000).toISOString() };
}
