import { signIn } from "@/lib/server/session";

/** The printed URL `/?token=…` ends here (rewritten in next.config.ts). */
export const GET = signIn;
