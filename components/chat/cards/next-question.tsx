"use client";

import { useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { mainArgument } from "@/lib/client/run/call-summary";
import type { PendingRequest } from "@/lib/protocol/chunk";
import { showInvisible } from "@/lib/protocol/show-invisible";

/** The question after this one, in one line: it is answered apart. */
export function NextQuestion({ request }: { request: PendingRequest }) {
  const t = useTranslations("chat.card.then");
  return (
    <p className="mt-3 flex items-baseline gap-3 pt-3 text-mach text-ink-2 shadow-[inset_0_1px_color-mix(in_srgb,var(--shu)_24%,transparent)] phone:flex-wrap pinned:mt-0 pinned:pt-2 pinned:shadow-none">
      <span>{t("then")}</span>
      <span className="min-w-0 flex-1 truncate">
        <Short request={request} />
      </span>
      <span className="phone:basis-full">{t("apart")}</span>
    </p>
  );
}

function Short({ request }: { request: PendingRequest }) {
  const t = useTranslations("chat.card.then");
  switch (request.type) {
    case "approval_request": {
      if (request.reason === "plan") return t("plan");
      const { server, tool } = toolName(request.call);
      return (
        <>
          <b className="font-semibold text-ink">{showInvisible(server ? `${server} · ${tool}` : tool)}</b>{" "}
          {showInvisible(mainArgument(request.call.args))}
        </>
      );
    }
    case "input_request":
      return t("input", { server: request.server });
    case "step_request":
      return t("step", { kind: request.kind });
    case "budget_request":
      return t("budget");
  }
}
