import type { z } from "zod";
import type { Page, ServerPreset } from "@/lib/protocol/http";
import type { Deps } from "@/lib/server/deps";
import { HttpError, notFound } from "@/lib/server/http/errors";
import type { PresetBody, PresetPatch } from "@/lib/server/http/mcp-schemas";
import { newId } from "@/lib/server/ids";

const maxPresets = 50;
const key = "presets";

type Kept = Pick<Deps, "store" | "runs">;

/** Named sets of servers, in the order in which they were made. */
export async function listPresets(
  { store }: Pick<Deps, "store">,
  userId: string,
): Promise<Page<ServerPreset>> {
  return { items: (await store.settings.get<ServerPreset[]>(userId, key)) ?? [], nextCursor: null };
}

export function addPreset(
  deps: Kept,
  userId: string,
  { servers, ...rest }: z.output<typeof PresetBody>,
): Promise<ServerPreset> {
  const preset = { id: newId(), ...rest, servers: [...new Set(servers)] };
  return change(deps, userId, (items) => {
    if (items.length >= maxPresets)
      throw new HttpError(400, "invalid_input", `At most ${maxPresets} presets are kept; delete one first.`);
    return { items: [...items, preset], changed: preset };
  });
}

export function patchPreset(
  deps: Kept,
  userId: string,
  id: string,
  { name, servers, default: isDefault }: z.output<typeof PresetPatch>,
): Promise<ServerPreset> {
  return change(deps, userId, (items) => {
    const changed = {
      ...find(items, id),
      ...(name !== undefined && { name }),
      ...(servers && { servers: [...new Set(servers)] }),
      ...(isDefault !== undefined && { default: isDefault }),
    };
    return { items: items.map((item) => (item.id === id ? changed : item)), changed };
  });
}

export async function removePreset(deps: Kept, userId: string, id: string): Promise<void> {
  await change(deps, userId, (items) => {
    const changed = { ...find(items, id), default: false };
    return { items: items.filter((item) => item.id !== id), changed };
  });
}

/** Takes a server out of all of them. */
export function leavePresets({ store, runs }: Kept, userId: string, server: string): Promise<void> {
  return runs.inTurn(`${key}:${userId}`, async () => {
    const { items } = await listPresets({ store }, userId);
    if (!items.some(({ servers }) => servers.includes(server))) return;
    const without = items.map((item) => ({
      ...item,
      servers: item.servers.filter((name) => name !== server),
    }));
    await store.settings.set(userId, key, without);
  });
}

interface Change {
  items: ServerPreset[];
  changed: ServerPreset;
}

function change(
  { store, runs }: Kept,
  userId: string,
  edit: (items: ServerPreset[]) => Change,
): Promise<ServerPreset> {
  return runs.inTurn(`${key}:${userId}`, async () => {
    const { items, changed } = edit((await listPresets({ store }, userId)).items);
    assertFreeName(items, changed);
    const others = (item: ServerPreset) =>
      changed.default && item.id !== changed.id ? { ...item, default: false } : item;
    await store.settings.set(userId, key, items.map(others));
    return changed;
  });
}

function find(items: readonly ServerPreset[], id: string): ServerPreset {
  const found = items.find((item) => item.id === id);
  if (!found) throw notFound("preset");
  return found;
}

/** Names that look the same are the same: they are chosen by being read. */
function assertFreeName(items: readonly ServerPreset[], { id, name }: ServerPreset): void {
  const plain = (text: string) => text.normalize("NFKC").toLowerCase();
  const other = items.find((item) => item.id !== id && plain(item.name) === plain(name));
  if (other)
    throw new HttpError(
      409,
      "exists",
      `name: there is a preset called ${other.name} already. Choose another name.`,
      { path: "name" },
    );
}
