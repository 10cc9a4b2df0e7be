"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { notify, notifyFailure } from "@/components/ui/toast";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useSize } from "@/components/ui/words/use-size";
import { fileKinds } from "@/lib/client/conversation/attachments";
import { projectActions } from "@/lib/client/conversation/projects";
import { uploadFile } from "@/lib/client/conversation/upload-file";
import type { ProjectDetail, ProjectFile } from "@/lib/protocol/projects";
import { lineLook, Part } from "./part";

export function ProjectFiles({ project }: { project: ProjectDetail }) {
  const t = useTranslations("projects.page");
  const size = useSize();
  const input = useRef<HTMLInputElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  // The button that has removed a file goes with its line.
  const focusBack = useFocusBack(() => addButton.current?.focus());
  const { adding, add } = useAdding(project.id);
  const files = project.attachments;
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  return (
    <Part
      title={t("files")}
      note={files.length > 0 && t("filesAbout", { count: files.length, size: size(bytes) })}
      action={
        <IconButton
          ref={addButton}
          icon="plus"
          label={t("addFile")}
          tipSide="right-edge"
          disabled={adding !== null}
          onClick={() => input.current?.click()}
        />
      }
    >
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-project-files
        accept={fileKinds}
        onChange={({ target }) => {
          void add([...(target.files ?? [])]);
          target.value = "";
        }}
      />
      {files.length === 0 && adding === null && (
        <p className="text-mach text-pretty text-ink-3">{t("noFiles")}</p>
      )}
      <ul {...focusBack}>
        {files.map((file) => (
          <Line key={file.id} project={project} file={file} />
        ))}
      </ul>
      <p role="status" className="meta">
        {adding !== null && t("adding", { name: adding })}
      </p>
    </Part>
  );
}

/** One after the other, so that each stands in the list that the next one is added to. */
function useAdding(id: string): { adding: string | null; add(files: readonly File[]): Promise<void> } {
  const errorText = useErrorText();
  const [adding, setAdding] = useState<string | null>(null);
  const add = async (files: readonly File[]) => {
    for (const file of files) {
      setAdding(file.name);
      try {
        const { id: stored } = await uploadFile(file, () => {}, new AbortController().signal);
        await projectActions.addFile(id, stored);
      } catch (cause) {
        notifyFailure(errorText(cause));
      }
    }
    setAdding(null);
  };
  return { adding, add };
}

function Line({ project, file }: { project: ProjectDetail; file: ProjectFile }) {
  const t = useTranslations("projects.page");
  const errorText = useErrorText();
  const size = useSize();
  const { id, name, readable } = file;
  const remove = async () => {
    try {
      await projectActions.removeFile(project.id, id);
      notify(t("removed", { name }));
    } catch (cause) {
      notifyFailure(errorText(cause));
    }
  };
  return (
    <li className={lineLook}>
      <Icon name="attach" size={12} className="text-ink-3" />
      <a href={`/api/attachments/${id}`} className="min-w-0 flex-1 truncate text-ink no-underline">
        {name}
      </a>
      {!readable && <span className="text-micro text-ink-3">{t("unreadable")}</span>}
      <span className="text-micro whitespace-nowrap text-ink-3">{size(file.size)}</span>
      <IconButton
        icon="cross"
        iconSize={12}
        label={t("removeFile", { name })}
        tipSide="right-edge"
        onClick={remove}
      />
    </li>
  );
}
