import { finishLogin } from "@/lib/server/logins";
import { route } from "@/lib/server/route";

/** Where authorization servers send people back to; the answer is the settings page, which shows what came of it. */
export const GET = route({ navigation: true }, async ({ deps, request }) => finishLogin(deps, request));
