import { route } from "@/lib/server/entry/route";
import { finishLogin } from "@/lib/server/servers/logins";

/** Where authorization servers send people back to; the answer is the settings page, which shows what came of it. */
export const GET = route({ navigation: true }, async ({ deps, request }) => finishLogin(deps, request));
