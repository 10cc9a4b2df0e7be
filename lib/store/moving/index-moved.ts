import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";
import { type IndexedMessage, insertGrams, toGrams } from "@/lib/store/search/index-messages";
import { notTheSame } from "./copy-table";
import type { SourceFolder } from "./source-folder";

/** Of one statement; a message that is larger comes alone. */
const most = { messages: 100, characters: 1_000_000 };

/** Makes the messages of the folder findable, in the order in which they are found there. */
export async function indexMoved(
  trx: Kysely<DB>,
  folder: SourceFolder,
  onMessages: (messages: number) => void,
): Promise<void> {
  let places = 0;
  const add = async (messages: readonly IndexedMessage[]) => {
    const grams = messages.flatMap(toGrams);
    await insertGrams(trx, grams);
    places += grams.length;
    onMessages(places);
  };
  let [batch, characters]: [IndexedMessage[], number] = [[], 0];
  for (const message of folder.records<IndexedMessage>(inOrder)) {
    if (
      batch.length === most.messages ||
      (batch.length > 0 && characters + message.body.length > most.characters)
    ) {
      await add(batch);
      [batch, characters] = [[], 0];
    }
    batch.push(message);
    characters += message.body.length;
  }
  if (batch.length > 0) await add(batch);
  const { rows } = await sql<{ places: number; indexed: number }>`
    select (select count(*) from message_place) as places,
      (select count(distinct place) from message_fts) as indexed`.execute(trx);
  if (rows[0]?.places !== places || rows[0].indexed !== places) throw notTheSame("The index of the search");
}

const inOrder = `
  select m.conversation_id, m.id, m.user_id, m.role, m.created_at, m.body from message_place p
  join message m on m.conversation_id = p.conversation_id and m.id = p.message_id order by p.place`;
