import { UsageQuery } from "@/lib/server/contract/settings";
import { readUsage } from "@/lib/server/conversations/usage";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { checkAdmin } from "@/lib/server/http/guard";

/** What there is of everybody is for admins; what a retention would delete of one's own is for its owner. */
export const GET = route({}, async ({ deps, person, userId, request }) => {
  const retention = readQuery(request, UsageQuery);
  if (retention.days === undefined && retention.bytes === undefined) checkAdmin(person);
  const { wouldDelete, ...all } = await readUsage(deps, userId, retention);
  const { disk } = deps;
  return {
    ...(person.role === "admin" && { ...all, disk: await disk.state() }),
    ...(wouldDelete && { wouldDelete }),
  };
});
