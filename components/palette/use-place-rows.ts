import { usePathname, useRouter } from "next/navigation";
import { useTranslations } from "use-intl";
import { conversationIn } from "@/components/chat/address";
import { hasPage, settingsPages } from "@/components/settings/settings-pages";
import { notify, notifyFailure } from "@/components/ui/toast";
import { useAccount } from "@/components/ui/words/account";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { chooseModel } from "@/lib/client/conversation/choose-model";
import { readChoice } from "@/lib/client/conversation/drafts";
import { useModels } from "@/lib/client/conversation/models";
import { chatOf } from "@/lib/client/conversation/use-conversation";
import { needsPerson, useServers } from "@/lib/client/servers/servers";
import type { ModelItem } from "@/lib/protocol/settings";
import type { PaletteRow } from "./palette-group";

export function useSettingsRows(): PaletteRow[] {
  const t = useTranslations("palette.pages");
  const words = useTranslations("palette.pageWords");
  const account = useAccount();
  return settingsPages.flatMap(([, pages]) =>
    pages.flatMap(([page, href]) =>
      hasPage(page, account)
        ? {
            ...{ key: `settings-${page}`, icon: "settings" as const, href },
            ...{ title: t(page), words: words(page) },
          }
        : [],
    ),
  );
}

export function useServerRows(): PaletteRow[] {
  const t = useTranslations("palette");
  const servers = useServers().data?.items ?? [];
  return servers.map((server) => ({
    key: `server-${server.name}`,
    icon: "plug",
    title: server.title ?? server.name,
    words: server.name,
    note: t(`serverState.${server.status}`),
    ...(needsPerson(server) && { warns: true }),
    href: `/settings/mcp/${encodeURIComponent(server.name)}`,
  }));
}

/** Choosing a model sets that of the conversation on the page; elsewhere a new one begins with it. */
export function useModelRows(): PaletteRow[] {
  const t = useTranslations("palette");
  const errorText = useErrorText();
  const router = useRouter();
  const { data } = useModels();
  const pathname = usePathname();
  const isChat = pathname === "/" || /^\/[cp]\//.test(pathname);
  const id = conversationIn(pathname);
  const choice = chatOf(id).conversation.getState().choice;
  const current = choice?.model ?? (id === null ? readChoice("model") : null) ?? data?.defaultModel;
  const choose = async ({ id: model, name }: ModelItem) => {
    const chat = chatOf(id);
    if (!isChat) router.push("/");
    if (await chooseModel(chat, model, data?.items, choice?.effort)) notify(t("modelChosen", { name }));
    else notifyFailure(errorText(chat.conversation.getState().failure));
  };
  return (data?.items ?? []).map((model) => ({
    key: `model-${model.id}`,
    icon: "into",
    title: model.name,
    words: `${model.id} ${model.endpoint ?? ""}`,
    note:
      model.id === current
        ? t("modelInUse")
        : model.reachable
          ? (model.endpoint ?? model.provider)
          : t("modelAway"),
    ...(model.reachable ? { run: () => void choose(model) } : { href: "/settings/models" }),
  }));
}
