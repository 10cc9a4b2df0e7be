"use client";

import { useId, useState } from "react";
import { useTranslations } from "use-intl";
import { ServerChecks } from "@/components/server-checks";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { api } from "@/lib/client/http/http";

type OnApproval = "wait" | "fail";

export interface ConsentProps {
  /** What the program has asked, as it stands in the address. */
  request: string;
  name: string;
  /** Where the answer goes. */
  place: string;
}

/** A person's yes or no to a program that asks for their servers. */
export function Consent({ request, name, place }: ConsentProps) {
  const t = useTranslations("account.authorize");
  const asksId = useId();
  const [servers, setServers] = useState<readonly string[]>([]);
  const [onApproval, setOnApproval] = useState<OnApproval>("wait");
  const { state, failure, answer } = useAnswer(request);
  const [isMissing, setMissing] = useState(false);
  const choose = (names: readonly string[]) => {
    setServers(names);
    setMissing(false);
  };
  const allow = () =>
    servers.length === 0 ? setMissing(true) : void answer({ allow: true, servers: [...servers], onApproval });
  if (state === "done") return <p className="text-mach text-pretty">{t("done")}</p>;
  return (
    <>
      <h1 className="font-voice text-title wrap-anywhere">{t("title", { name })}</h1>
      <p className="text-mach text-pretty wrap-anywhere text-ink-2">{t("note", { place })}</p>
      <p className="mt-2 text-micro text-pretty text-ink-3">{t("unproven")}</p>
      <ServerChecks
        legend={t("servers")}
        none={t("noServers")}
        tools={(count) => t("tools", { count })}
        error={isMissing ? t("needServer") : undefined}
        chosen={servers}
        onChange={choose}
      />
      <div className="mt-4 text-mach">
        <span id={asksId} className="mb-1 block text-ink-2">
          {t("asks")}
        </span>
        <Choice<OnApproval>
          labelledBy={asksId}
          options={(["wait", "fail"] as const).map((value) => ({ value, label: t(`ask.${value}`) }))}
          value={onApproval}
          onChange={setOnApproval}
        />
      </div>
      <p className="mt-4 text-micro text-pretty text-ink-3">{t("may")}</p>
      <p role="alert" className="mt-3 text-mach text-pretty text-shu empty:hidden">
        {failure}
      </p>
      <Button
        tone="ink"
        className="mt-4 h-10 w-full justify-center"
        aria-disabled={state === "busy"}
        onClick={allow}
      >
        {state === "busy" ? t("busy") : t("allow")}
      </Button>
      <Button
        className="mt-2 h-10 w-full justify-center"
        aria-disabled={state === "busy"}
        onClick={() => void answer({ allow: false })}
      >
        {t("refuse")}
      </Button>
    </>
  );
}

interface Answer {
  allow: boolean;
  servers?: string[];
  onApproval?: OnApproval;
}

/** Sends the answer, and goes where the program waits for it. */
function useAnswer(request: string) {
  const errorText = useErrorText();
  const [state, setState] = useState<"open" | "busy" | "done">("open");
  const [failure, setFailure] = useState<string>();
  const answer = async (fields: Answer) => {
    if (state !== "open") return;
    setFailure(undefined);
    setState("busy");
    try {
      const body = { request, ...fields };
      const { location } = await api<{ location: string }>("/api/oauth/authorize", { method: "POST", body });
      window.location.assign(location);
      // A program's own scheme leaves this page where it is.
      setState("done");
    } catch (error) {
      setFailure(errorText(error));
      setState("open");
    }
  };
  return { state, failure, answer };
}
