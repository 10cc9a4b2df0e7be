import { json, route } from "@/lib/server/entry/route";
import { maxRegistration, Registration, registerClient } from "@/lib/server/oauth/client-id";
import { refuseOAuth } from "@/lib/server/oauth/refuse";

export const POST = route(
  { access: "public", body: Registration, limit: maxRegistration, refuse: refuseOAuth },
  async ({ deps, body }) => json(registerClient(deps, body), 201),
);
