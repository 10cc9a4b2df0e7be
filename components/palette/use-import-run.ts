import { useTranslations } from "use-intl";
import { useGo } from "@/components/ui/go";
import { notify, notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { refreshConversations } from "@/lib/client/conversation/conversations";
import { sendRun } from "@/lib/client/transfer/run-file";

/** What takes longer is told that it goes on. */
const quickMs = 300;

/** Has the file of a run chosen, and opens the run. */
export function useImportRun(): () => void {
  const t = useTranslations("palette");
  const go = useGo();
  const errorText = useErrorText();
  const open = async (file: File) => {
    const timer = setTimeout(() => notify(t("importingRun")), quickMs);
    try {
      const { runId } = await sendRun(file, new AbortController().signal, () => {});
      void refreshConversations();
      go(`/runs/${encodeURIComponent(runId)}`);
    } catch (cause) {
      notifyFailure(errorText(cause));
    } finally {
      clearTimeout(timer);
    }
  };
  return () => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = ".ndjson,.jsonl,application/x-ndjson";
    input.onchange = () => {
      const [file] = input.files ?? [];
      if (file) void open(file);
    };
    input.click();
  };
}
