import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { notify, notifyFailure, notifyOngoing } from "@/components/ui/toast";
import { isImporting, onImportChange, readImports } from "@/lib/client/transfer/imports";

const page = "/settings/data";

/** Who leaves this page while something is imported is told that it goes on, and how it ends. */
export function useImportNews(): void {
  const t = useTranslations("settings.data");
  const router = useRouter();
  const latest = useRef({ t, router });
  latest.current = { t, router };
  useEffect(() => {
    stopTelling?.();
    return () => {
      if (!isImporting(readImports())) return;
      const { t: words, router: way } = latest.current;
      const show = { label: words("show"), run: () => way.push(page) };
      const close = notifyOngoing(words("ongoing"), show);
      const stop = onImportChange(() => {
        const files = readImports();
        if (isImporting(files)) return;
        stopTelling?.();
        const count = files.reduce(
          (sum, { step }) => sum + (step.at === "done" ? step.result.imported : 0),
          0,
        );
        if (files.some(({ step }) => step.at === "failed")) notifyFailure(words("import.failedAway"));
        else notify(words("import.doneAway", { count }), { ...show, label: words("showResult") });
      });
      stopTelling = () => {
        stop();
        close();
        stopTelling = undefined;
      };
    };
  }, []);
}

let stopTelling: (() => void) | undefined;
