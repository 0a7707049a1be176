import type { SlackDeps } from '../deps.ts';
import type { FindDisplayName } from './display-name.ts';

/** How `readText` and `readTypedText` leave the mention of a person, whom Slack names by id: `@U1`, `<@U1|ada>`. Not `<@U1>`, which is ours. */
export const MENTION = /(?<![\w<])@([UW][A-Z0-9]{6,20})\b|<@([UW][A-Z0-9]{6,20})\|[^<>]*>/gu;
const MAX_NAMES = 50;
const REQUESTS_AT_ONCE = 10;
const MAX_NAME_LENGTH = 80;
/** An answer waits for the names. */
const NAMES_TIMEOUT_MS = 3_000;

/** Returns the texts with `@name` in place of the ids of the first 50 people whom they mention. Unknown ids stay. Never rejects. */
export async function nameMentions(
  texts: readonly string[],
  findDisplayName: FindDisplayName,
): Promise<readonly string[]> {
  const ids = new Set(
    texts.flatMap((text) => [...text.matchAll(MENTION)].map(([, bare, id = '']) => bare ?? id)),
  );
  const names = await findNames([...ids].slice(0, MAX_NAMES), findDisplayName);
  return texts.map((text) =>
    text.replace(MENTION, (whole, bare: string | undefined, id: string | undefined = '') => {
      const name = names.get(bare ?? id);
      return name === undefined || name === '' || name === `<@${bare ?? id}>` ? whole : `@${name}`;
    }),
  );
}

/** Returns the names of people by their ids, of at most 80 characters. Requests ten at once. `<@U…>` is the name of those whom Slack does not tell. */
export async function findNames(
  ids: readonly string[],
  findDisplayName: FindDisplayName,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const addName = async (id: string): Promise<void> => {
    names.set(id, (await findDisplayName(id)).slice(0, MAX_NAME_LENGTH).toWellFormed());
  };
  for (let at = 0; at < ids.length; at += REQUESTS_AT_ONCE)
    await Promise.all(ids.slice(at, at + REQUESTS_AT_ONCE).map(addName));
  return names;
}

/** Runs work that waits for names: those that are not known after 3 s in all are `<@U…>`, as if Slack did not tell them. */
export async function limitNameLookups<T>(
  findDisplayName: FindDisplayName,
  { sleep }: SlackDeps['time'],
  work: (findDisplayName: FindDisplayName) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  let isLate = false;
  const late = sleep(NAMES_TIMEOUT_MS, over.signal).then(
    () => (isLate = true),
    () => undefined,
  );
  try {
    return await work(async (id) => {
      const unknown = `<@${id}>`;
      return isLate ? unknown : Promise.race([findDisplayName(id), late.then(() => unknown)]);
    });
  } finally {
    over.abort();
  }
}
