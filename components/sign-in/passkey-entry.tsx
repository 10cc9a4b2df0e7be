"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { signInByPasskey } from "@/lib/client/settings/passkeys";

/** The way in without an address or a password. The browser asks which passkey, and for the owner of the device. */
export function PasskeyEntry({ onDone }: { onDone(): void }) {
  const t = useTranslations("account");
  const errorText = useErrorText();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const signIn = async () => {
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await signInByPasskey();
      onDone();
    } catch (error) {
      setFailure(errorText(error));
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        className="mt-2 h-10 w-full justify-center"
        aria-disabled={isBusy}
        onClick={() => void signIn()}
      >
        {isBusy ? t("signingIn") : t("signInByPasskey")}
      </Button>
      <p role="alert" className="mt-3 text-mach text-pretty text-shu empty:hidden">
        {failure}
      </p>
    </>
  );
}
