import { usePathname, useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { useTranslations } from "use-intl";
import { conversationIn } from "@/components/chat/address";
import { beginTemporary, hasTemporaryChats } from "@/components/chat/temporary/begin-temporary";
import { findKeys, pageKeys } from "@/components/shell/keys";
import { pageCommand } from "@/components/shell/page-commands";
import { openSheet } from "@/components/shell/page-layers";
import { toggleSide } from "@/components/shell/side";
import { useGo } from "@/components/ui/go";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useAssistants } from "@/lib/client/conversation/assistants";
import { changeConversation, useConversations } from "@/lib/client/conversation/conversations";
import { useProjects } from "@/lib/client/conversation/projects";
import { useOwnPrompts } from "@/lib/client/conversation/prompts";
import { chatOf } from "@/lib/client/conversation/use-conversation";
import type { PaletteRow } from "./palette-group";
import { useImportRun } from "./use-import-run";

/** What can be done from here: the first ones are offered before anything is typed. */
export function useCommandRows(): PaletteRow[] {
  return [...usePageRows(), ...useConversationCommands(), ...useBeginnings()];
}

function usePageRows(): PaletteRow[] {
  const t = useTranslations("palette.command");
  const go = useGo();
  const { theme = "system", setTheme } = useTheme();
  const find = pageCommand("find");
  const importRun = useImportRun();
  return [
    { key: "new", icon: "newChat", title: t("newChat"), keys: pageKeys.newChat, href: "/" },
    ...(hasTemporaryChats()
      ? [
          {
            key: "temporary",
            icon: "temporary" as const,
            title: t("temporary"),
            keys: pageKeys.temporaryChat,
            run: () => beginTemporary(go),
          },
        ]
      : []),
    ...(find ? [{ key: "find", icon: "search" as const, title: t("find"), keys: findKeys, run: find }] : []),
    { key: "settings", icon: "settings", title: t("settings"), keys: pageKeys.settings, href: "/settings" },
    { key: "sidebar", icon: "sidebar", title: t("sidebar"), keys: pageKeys.sidebar, run: toggleSide },
    { key: "sheet", icon: "keyboard", title: t("sheet"), keys: pageKeys.sheet, run: openSheet },
    ...(["dark", "light", "system"] as const)
      .filter((look) => look !== theme)
      .map(
        (look): PaletteRow => ({
          key: `theme-${look}`,
          icon: "globe",
          title: t(look),
          words: t("themeWords"),
          run: () => setTheme(look),
        }),
      ),
    { key: "importRun", icon: "timeline", title: t("importRun"), words: t("importRunWords"), run: importRun },
  ];
}

/** What is done with the conversation on the page. */
function useConversationCommands(): PaletteRow[] {
  const t = useTranslations("palette.command");
  const errorText = useErrorText();
  const id = conversationIn(usePathname());
  const item = useConversations().data?.items.find((each) => each.id === id);
  const rows = (
    [
      ["share", "share"],
      ["rename", "pencil"],
      ["instructions", "timeline"],
      ["step", "step"],
      ["plan", "plan"],
      ["wire", "wire"],
      ["compare", "columns"],
    ] as const
  ).flatMap(([name, icon]): PaletteRow[] => {
    const run = pageCommand(name);
    return run ? [{ key: name, icon, title: t(name), run }] : [];
  });
  if (!item) return rows;
  const pin = () =>
    void changeConversation(item.id, { pinned: !item.pinned }).catch((cause) =>
      notifyFailure(errorText(cause)),
    );
  return [...rows, { key: "pin", icon: "pin", title: t(item.pinned ? "unpin" : "pin"), run: pin }];
}

/** New conversations, with what they begin with. */
function useBeginnings(): PaletteRow[] {
  const t = useTranslations("palette.command");
  const router = useRouter();
  const projects = useProjects().data?.items ?? [];
  const assistants = useAssistants().data?.items ?? [];
  const prompts = useOwnPrompts().data?.items ?? [];
  const write = pageCommand("write");
  return [
    ...projects.map(
      ({ id, name }): PaletteRow => ({
        key: `project-${id}`,
        icon: "newChat",
        title: t("inProject", { name }),
        href: `/p/${id}`,
      }),
    ),
    ...assistants.map(
      ({ id, name }): PaletteRow => ({
        key: `assistant-${id}`,
        icon: "person",
        title: t("withAssistant", { name }),
        run: () => {
          void chatOf(null).changes.choose({ assistant: id });
          router.push("/");
        },
      }),
    ),
    ...(write
      ? prompts.map(
          ({ id, name, text }): PaletteRow => ({
            key: `prompt-${id}`,
            icon: "into",
            title: t("prompt", { name }),
            run: () => write(text),
          }),
        )
      : []),
  ];
}
