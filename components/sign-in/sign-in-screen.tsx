import type { ReactNode } from "react";
import { Mark } from "@/components/ui/mark";

/** The page before all others: what Meguri is at the left, a form at the right. Phones have the form alone. */
export function SignInScreen({
  words,
  host,
  children,
}: {
  /** A line each. */
  words: readonly string[];
  host: string;
  children: ReactNode;
}) {
  return (
    <main className="grid min-h-dvh grid-cols-2 phone:grid-cols-1">
      <div className="relative flex flex-col overflow-hidden bg-paper-2 p-12 shadow-[inset_-1px_0_var(--rule)] phone:hidden">
        <Mark name size={22} />
        <svg
          className="absolute top-18 right-6 text-ink opacity-90"
          width="480"
          height="480"
          viewBox="0 0 18 18"
          fill="none"
          aria-hidden="true"
        >
          <path d="M12.6 3.1A7 7 0 1 0 16 9" stroke="currentColor" strokeWidth=".5" strokeLinecap="round" />
          <circle cx="15.1" cy="5.6" r=".42" fill="var(--shu)" />
        </svg>
        <p className="relative mt-auto max-w-110 font-voice text-[30px] leading-11 text-balance">
          {words.map((line) => (
            <span key={line} className="block">
              {line}
            </span>
          ))}
        </p>
        <p className="relative mt-3 text-mach text-ink-3">{host}</p>
      </div>
      <div className="flex flex-col justify-center px-12 py-8 phone:px-4">
        <div className="mx-auto w-full max-w-90">
          <div className="mb-6 hidden phone:block">
            <Mark name />
          </div>
          {children}
        </div>
      </div>
    </main>
  );
}
