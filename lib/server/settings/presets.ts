import type { z } from "zod";
import type { ServerPreset } from "@/lib/protocol/choice";
import type { Page } from "@/lib/protocol/http";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { PresetBody, PresetPatch } from "@/lib/server/contract/servers";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";

const maxPresets = 50;
const key = "presets";

type PresetDeps = Pick<BaseDeps, "store">;

/** Named sets of servers, in the order in which they were made. */
export async function listPresets(
  { store }: Pick<BaseDeps, "store">,
  userId: string,
): Promise<Page<ServerPreset>> {
  return { items: (await store.settings.get<ServerPreset[]>(userId, key)) ?? [], nextCursor: null };
}

export async function addPreset(
  deps: PresetDeps,
  userId: string,
  { servers, ...rest }: z.output<typeof PresetBody>,
): Promise<ServerPreset> {
  const preset = { id: newId(), ...rest, servers: [...new Set(servers)] };
  await change(deps, userId, preset.id, (items) => {
    if (items.length >= maxPresets)
      throw new HttpError(400, "invalid_input", `At most ${maxPresets} presets are kept; delete one first.`);
    return [...items, preset];
  });
  return preset;
}

export async function patchPreset(
  deps: PresetDeps,
  userId: string,
  id: string,
  { name, servers, default: isDefault }: z.output<typeof PresetPatch>,
): Promise<ServerPreset> {
  const items = await change(deps, userId, id, (before) => {
    const changed = {
      ...find(before, id),
      ...(name !== undefined && { name }),
      ...(servers && { servers: [...new Set(servers)] }),
      ...(isDefault !== undefined && { default: isDefault }),
    };
    return before.map((item) => (item.id === id ? changed : item));
  });
  return find(items, id);
}

export async function removePreset(deps: PresetDeps, userId: string, id: string): Promise<void> {
  await change(deps, userId, id, (items) => {
    find(items, id);
    return items.filter((item) => item.id !== id);
  });
}

/** Takes a server out of all of them. */
export async function leavePresets({ store }: PresetDeps, userId: string, server: string): Promise<void> {
  await store.settings.update(userId, key, (items: ServerPreset[] | undefined) =>
    items?.map((item) => ({ ...item, servers: item.servers.filter((name) => name !== server) })),
  );
}

/** `id`: the one that changes; its name must be free, and it may be the only default. */
function change(
  { store }: PresetDeps,
  userId: string,
  id: string,
  edit: (items: ServerPreset[]) => ServerPreset[],
): Promise<ServerPreset[]> {
  return store.settings.update(userId, key, (before: ServerPreset[] = []) => {
    const items = edit(before);
    const changed = items.find((item) => item.id === id);
    if (!changed) return items;
    assertFreeName(items, changed);
    return items.map((item) => (changed.default && item.id !== id ? { ...item, default: false } : item));
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
