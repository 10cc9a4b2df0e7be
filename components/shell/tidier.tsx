"use client";

import { usePathname, useRouter } from "next/navigation";
import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { changeTogether, hideConversations, type Together } from "@/lib/client/conversation/batch";
import { changeItems } from "@/lib/client/conversation/conversations";
import { findProject } from "@/lib/client/conversation/projects";
import { endChoosing } from "./row-actions";
import { closeDrawer } from "./side";
import { Slip, type SlipNote } from "./slip";
import { type Moved, type Tidying, takeTidyings, useTidyings } from "./tidy";

/** Does what was asked for at once, without a question before, and offers the way back on a slip. */
export default function Tidier() {
  const [note, setNote] = useState<SlipNote | null>(null);
  const words = useTidyWords();
  const router = useRouter();
  const pathname = usePathname();
  const asked = useTidyings();
  const act = useEffectEvent(async (tidying: Tidying) => {
    const { items, action } = tidying;
    const open = items.find(({ id }) => pathname === `/c/${id}`);
    endChoosing();
    // The way back stands on the page, which an open drawer puts out of reach.
    closeDrawer();
    if (open && action === "delete") router.push("/");
    const result = await change(tidying);
    if (result.failed.length > 0) notifyFailure(words.failed(tidying, result));
    const took = new Set(result.done);
    const done = items.filter(({ id }) => took.has(id));
    if (done.length === 0) return;
    const undo = async () => {
      setNote(null);
      const failed = await takeBack(tidying, done);
      if (failed.failed.length > 0) notifyFailure(words.failed({ ...tidying, items: done }, failed, true));
      if (failed.failed.length < done.length) setNote({ text: words.undone(done) });
      if (open && action === "delete" && location.pathname === "/") router.push(`/c/${open.id}`);
    };
    setNote({ text: words.done({ ...tidying, items: done }), undo: () => void undo() });
  });
  useEffect(() => {
    if (asked.length > 0) for (const tidying of takeTidyings()) void act(tidying);
  }, [asked]);
  return <Slip note={note} onEnd={useCallback(() => setNote(null), [])} />;
}

/** What is archived or deleted leaves the lists before the server has answered; what is moved changes its place. */
async function change(tidying: Tidying): Promise<Together> {
  const { items, action } = tidying;
  const ids = items.map(({ id }) => id);
  if (tidying.action === "move") {
    const [moved, { to }] = [new Set(ids), tidying];
    changeItems((all) => all.map((item) => (moved.has(item.id) ? { ...item, projectId: to } : item)));
    return changeTogether(ids, action, to);
  }
  const show = hideConversations(ids);
  return changeTogether(ids, action, undefined, ({ failed }) => show(failed.map(({ id }) => id)));
}

const opposite = { archive: "unarchive", unarchive: "archive", delete: "restore" } as const;

async function takeBack({ action }: Tidying, items: readonly Moved[]): Promise<Together> {
  const ids = items.map(({ id }) => id);
  if (action !== "move") return changeTogether(ids, opposite[action]);
  const result: Together = { done: [], failed: [] };
  for (const [projectId, some] of Map.groupBy(items, (item) => item.projectId)) {
    const { done, failed, error } = await changeTogether(
      some.map(({ id }) => id),
      "move",
      projectId,
    );
    result.done.push(...done);
    result.failed.push(...failed);
    result.error ??= error;
  }
  return result;
}

function useTidyWords() {
  const t = useTranslations("shell.tidy");
  const errorText = useErrorText();
  const values = (tidying: Tidying) => ({
    count: tidying.items.length,
    title: tidying.items[0]?.title ?? "",
    project: tidying.action === "move" ? (tidying.name ?? findProject(tidying.to)?.name ?? "") : "",
  });
  const kind = (tidying: Tidying) =>
    tidying.action === "move" && tidying.to === null ? "moveOut" : tidying.action;
  return {
    done: (tidying: Tidying) => t(`done.${kind(tidying)}`, values(tidying)),
    undone: (items: readonly Moved[]) => t("undone", { count: items.length, title: items[0]?.title ?? "" }),
    failed: (tidying: Tidying, { failed, error }: Together, isUndo = false) => {
      const { count, title } = values(tidying);
      const reason = error ? errorText(error) : t(isUndo ? "tooLate" : "gone");
      return t(isUndo ? "failed.undo" : `failed.${kind(tidying)}`, {
        ...{ count, title: titleOf(tidying, failed) ?? title, failed: failed.length, reason },
      });
    },
  };
}

const titleOf = ({ items }: Tidying, [first]: Together["failed"]) =>
  items.find(({ id }) => id === first?.id)?.title;
