"use client";

import { type FormEvent, lazy, type Ref, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import RemovalDialog from "@/components/settings/removal-dialog";
import { Button } from "@/components/ui/controls/button";
import { Skeleton } from "@/components/ui/skeleton";
import { notify } from "@/components/ui/toast";
import { ForAdmins, useIsAdmin } from "@/components/ui/words/account";
import { useModels } from "@/lib/client/conversation/models";
import { ApiError } from "@/lib/client/http/http";
import { deleteAgent } from "@/lib/client/settings/agent-file";
import type { AgentFileProblem, AgentList } from "@/lib/protocol/agents";
import { AgentAsTool } from "./agent-as-tool";
import { AgentProblems } from "./agent-problems";
import { AgentTree } from "./agent-tree";
import type { AgentNames } from "./complete-agent";
import { FileConflict } from "./file-conflict";
import { TryAgent } from "./try-agent";
import { type AgentEdit, type AgentId, useAgentFile } from "./use-agent-file";
import type { YamlEditorHandle } from "./yaml-editor";

const YamlEditor = lazy(() => import("./yaml-editor"));

export interface AgentEditorProps {
  id: AgentId;
  agents: AgentList;
  onSaved(id: string): void;
  onClose(): void;
}

/** The file of one agent, with what is wrong with it, what it says as a drawing, and a try. */
export function AgentEditor({ id, agents, onSaved, onClose }: AgentEditorProps) {
  const t = useTranslations("settings.agents");
  const edit = useAgentFile(id, t("template"));
  const { judged, isDirty } = edit;
  const names = useNames(agents);
  const editor = useRef<YamlEditorHandle>(null);
  const [deleting, setDeleting] = useState(false);
  const problems = judged?.problems ?? noProblems;
  const goTo = (line: number) => editor.current?.goTo(line);
  const save = async (version?: string | null) => {
    const name = await edit.save(version);
    if (name === undefined) return;
    notify(t("saved", { id: name }));
    if (id === undefined) onSaved(name);
  };
  const item = agents.items.find((agent) => agent.id === id);
  return (
    <div className="grid gap-4 pb-8">
      <EditForm edit={edit} isNew={id === undefined} onSave={save}>
        <Head id={id} onClose={onClose} />
        <TextPane ref={editor} edit={edit} problems={problems} names={names} />
        <AgentProblems
          problems={problems}
          failure={edit.changed ? undefined : judged?.failure}
          onLine={goTo}
        />
        <FileConflict changed={edit.changed} onLoad={() => edit.load(true)} onSave={save} />
        <ForAdmins>
          <Actions
            edit={edit}
            isNew={id === undefined}
            onDiscard={() => edit.load(true)}
            onDelete={() => setDeleting(true)}
          />
        </ForAdmins>
      </EditForm>
      {judged?.tree && (
        <AgentTree tree={judged.tree} isOld={problems.length > 0} models={names.models} onLine={goTo} />
      )}
      {item && <AgentAsTool id={item.id} />}
      {item && <TryAgent agent={item} isDirty={isDirty} />}
      {deleting && id !== undefined && (
        <RemovalDialog
          title={t("deleteTitle", { id })}
          text={t("deleteText")}
          action={t("delete")}
          done={t("deleted", { id })}
          remove={() => deleteAgent(id)}
          onClose={() => setDeleting(false)}
          onRemoved={onClose}
        />
      )}
    </div>
  );
}

const noProblems: [] = [];

/** What is known to have a mistake is not sent, and what has not changed neither. */
const canSave = ({ isDirty, busy, isJudged, judged, changed }: AgentEdit, isNew: boolean): boolean =>
  (isDirty || isNew) && !busy && !changed && !(isJudged && (judged?.problems.length ?? 0) > 0);

interface EditFormProps {
  edit: AgentEdit;
  isNew: boolean;
  onSave(): Promise<void>;
  children: React.ReactNode;
}

function EditForm({ edit, isNew, onSave, children }: EditFormProps) {
  const isAdmin = useIsAdmin();
  const submit = (event: FormEvent | React.KeyboardEvent) => {
    event.preventDefault();
    if (isAdmin && canSave(edit, isNew)) void onSave();
  };
  return (
    <form
      noValidate
      className="grid gap-4"
      onSubmit={submit}
      onKeyDown={(event) => {
        const isSave = event.key.toLowerCase() === "s" && (event.metaKey || event.ctrlKey);
        if (isSave && !event.shiftKey) submit(event);
      }}
    >
      {children}
    </form>
  );
}

function Head({ id, onClose }: Pick<AgentEditorProps, "id" | "onClose">) {
  const t = useTranslations("settings.agents");
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <div className="hidden mid:block">
        <Button tone="quiet" small icon="arrowLeft" onClick={onClose}>
          {t("back")}
        </Button>
      </div>
      <h2 ref={heading} tabIndex={-1} className="font-voice text-voice outline-none wrap-anywhere">
        {id === undefined ? t("new") : `@${id}`}
      </h2>
    </>
  );
}

interface TextPaneProps {
  ref: Ref<YamlEditorHandle>;
  edit: AgentEdit;
  problems: readonly AgentFileProblem[];
  names: AgentNames;
}

function TextPane({ ref, edit, problems, names }: TextPaneProps) {
  const t = useTranslations("settings.agents.editor");
  const common = useTranslations("common");
  const isAdmin = useIsAdmin();
  if (!edit.saved)
    return (
      <LoadState
        error={edit.failure === undefined ? undefined : new ApiError("", edit.failure, 0)}
        onRetry={() => edit.load(false)}
      />
    );
  return (
    <div className="min-h-50 [--editor-height:min(52dvh,560px)] phone:[--editor-height:44dvh]">
      <Suspense fallback={<Skeleton lines={6} height={24} label={common("loading")} />}>
        <YamlEditor
          key={edit.loads}
          ref={ref}
          label={t("label")}
          value={edit.text}
          problems={problems}
          names={names}
          readOnly={!isAdmin}
          onChange={edit.setText}
        />
      </Suspense>
    </div>
  );
}

interface ActionsProps {
  edit: AgentEdit;
  isNew: boolean;
  onDiscard(): void;
  onDelete(): void;
}

function Actions({ edit, isNew, onDiscard, onDelete }: ActionsProps) {
  const t = useTranslations("settings.agents");
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button tone="ink" type="submit" keys="Mod+S" disabled={!canSave(edit, isNew)}>
        {t("save")}
      </Button>
      {edit.isDirty && (
        <Button tone="quiet" onClick={onDiscard}>
          {t("discard")}
        </Button>
      )}
      <p className="text-micro text-ink-3" role="status">
        {edit.isDirty && t(isNew ? "draftNew" : "draft")}
      </p>
      {!isNew && (
        <Button tone="quiet" className="ml-auto" onClick={onDelete}>
          {t("delete")}
        </Button>
      )}
    </div>
  );
}

function useNames({ items }: AgentList): AgentNames {
  const models = useModels().data?.items;
  return useMemo(
    () => ({ models: (models ?? []).map(({ id }) => id), agents: items.map(({ id }) => id) }),
    [models, items],
  );
}
